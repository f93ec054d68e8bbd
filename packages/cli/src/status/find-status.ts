import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BundleStore, type HistoryEntry, TenfoldError } from '@tenfold/core'
import { cleanText } from '@tenfold/core/internal'
import type { CheckpointEntry } from '@tenfold/core/store'
import { findLauncher } from '../background/hooks/settings/guarded-command.ts'
import { installHooks } from '../background/hooks/settings/install-hooks.ts'
import { type InstalledHooks, installedHooks } from '../background/hooks/settings/installed-hooks.ts'
import { type FolderSession, sessionsOfFolder } from '../sources/sessions-of-folder.ts'
import { stateFolder } from '../state/trust.ts'
import { compressedIn } from '../store/compressed-logs.ts'
import { openCheckpoints, openStore } from '../store/open-store.ts'
import { storeOfMainWorkTree } from '../store/project-store.ts'
import { addedLine, foreignStoreLine } from '../store/store-origin.ts'
import { asObject, parseJson } from '../terminal/regular-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { unlessRefused } from '../terminal/thrown.ts'

export type Status = Awaited<ReturnType<typeof findStatus>>

const maxSessions = 10

export async function findStatus(folder: string, place: string, context: CommandContext) {
  const { terminal, signal } = context
  const store = await openStore(place, terminal, { blocking: true })
  const byTime = (a: HistoryEntry, b: HistoryEntry) => (a.createdAt < b.createdAt ? -1 : 1)
  const entries = [...(await store.list())].sort(byTime)
  // Sub-agents' bundles are parts of other sessions.
  const isSubagent = (track: string) => track.startsWith('subagent-')
  const newest = entries.findLast(({ track }) => !isSubagent(track))
  const checkpoint = (await (await openCheckpoints(place, terminal)).latest())?.entry
  // Hooks put sessions on the main track, even if the agent's checkpoints are on another one.
  const bundle = entries.findLast(({ track }) => track === checkpoint?.track) ?? newest
  const compressed = new Set(entries.map(({ sourceSha256 }) => sourceSha256))
  const sessions = await sessionsOfFolder(folder, maxSessions, signal)
  const mainStore = entries.length === 0 ? storeOfMainWorkTree(folder) : undefined
  return {
    folder,
    store: place,
    bundles: entries.length,
    tracks: [...new Set(entries.map(({ track }) => track))].sort(),
    /** The newest sessions of other tracks that left work open. */
    elsewhere: [...new Map(entries.map((entry) => [entry.track, entry])).values()]
      .filter(
        ({ track, state }) =>
          track !== newest?.track && !isSubagent(track) && (state ?? 'finished') !== 'finished',
      )
      .sort(byTime)
      .reverse(),
    checkpoint: checkpoint && { ...checkpoint, isOlder: checkpoint.createdAt < (bundle?.createdAt ?? '') },
    uncompressed: await notCompressed(sessions, compressed),
    // Counts only the newest sessions, compressed or not.
    sessions: sessions.length,
    hooks: await currentHooks(context),
    mainStore,
    ...(newest !== undefined && (await lastWork(newest, checkpoint, store, { place, terminal }))),
  }
}

async function lastWork(
  newest: HistoryEntry,
  checkpoint: CheckpointEntry | undefined,
  store: BundleStore,
  { place, terminal }: { readonly place: string; readonly terminal: CommandContext['terminal'] },
) {
  const bundle = await store.load(newest.id).catch((error: unknown) => {
    if (!TenfoldError.isInstance(error)) throw error
    terminal.warn(`warning: ${cleanText(error.message)}`)
    return undefined
  })
  const { errors = [], nextSteps = [], carried = [] } = bundle ?? {}
  const checkpoints = checkpoint === undefined ? [] : [checkpoint]
  const foreign = foreignStoreLine(place) ?? (await addedLine(store, place, { bundle, checkpoints }))
  const openErrors = errors.filter(({ resolution }) => resolution === undefined).length
  return {
    foreign,
    last: {
      ...newest,
      openErrors,
      nextSteps: nextSteps.map(({ action }) => action),
      earlierSteps: carried.flatMap(({ as, text }) => (as === 'step' ? [text] : [])),
    },
  }
}

async function notCompressed(logs: readonly FolderSession[], compressed: ReadonlySet<string>) {
  const isCompressed = compressedIn(compressed)
  const open: FolderSession[] = []
  for (const log of logs) if (!(await isCompressed(log.path, log.digest))) open.push(log)
  return open
}

interface Deed {
  readonly at: string
  readonly event?: string
  readonly bundle?: string
  /** The hook has not ended yet, or was killed. */
  readonly began?: true
}

export interface AgentHooks extends InstalledHooks {
  readonly lastRun?: Deed
  readonly lastBrief?: Deed
  readonly lastKept?: Deed
}

/** The installed hooks. First renews the user's hooks that an earlier version wrote, and reports that on stderr. */
async function currentHooks(context: CommandContext): Promise<AgentHooks[]> {
  for (const hooks of installedHooks())
    if (hooks.scope === 'user' && hooks.state === 'outdated') await renew(hooks, context)
  const deeds = lastDeeds()
  return installedHooks().map((hooks) => ({ ...hooks, ...deeds.get(hooks.agent) }))
}

async function renew({ agent, command }: InstalledHooks, context: CommandContext): Promise<void> {
  const { terminal } = context
  const quiet = { ...terminal, say: () => {}, print: () => {}, hint: () => {} }
  try {
    // The command of a checkout, such as one that the user only tries, must not get into the settings.
    if (findLauncher(command, 'user').words !== (command ?? 'tenfold')) return
    await installHooks(agent, { command }, { ...context, terminal: quiet })
    terminal.note(`Renewed the hooks of ${agent}, which an earlier version had written.`)
  } catch (error) {
    // The status output says how to renew the hooks.
    if (!TenfoldError.isInstance(error)) throw error
  }
}

type Deeds = Pick<AgentHooks, 'lastRun' | 'lastBrief' | 'lastKept'>

function lastDeeds(): Map<string, Deeds> {
  const deeds = new Map<string, Deeds>()
  const texts = ['hooks.log.1', 'hooks.log'].map((name) =>
    unlessRefused(() => readFileSync(join(stateFolder(), name), 'utf8'), ''),
  )
  for (const line of texts.join('\n').split('\n')) {
    const { at, agent, event, job, bundle, began } = asObject(parseJson(line)) ?? {}
    if (typeof at !== 'string' || typeof agent !== 'string') continue
    const made = typeof bundle === 'string' ? { at, bundle } : undefined
    deeds.set(agent, {
      ...deeds.get(agent),
      ...(typeof event === 'string' && { lastRun: { at, event, ...(began === true && { began }) } }),
      ...(typeof event === 'string' && made && { lastBrief: made }),
      ...(typeof job === 'string' && made && { lastKept: made }),
    })
  }
  return deeds
}
