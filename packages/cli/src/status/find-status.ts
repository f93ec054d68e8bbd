import {
  type CheckpointEntry,
  cleanText,
  digestLog,
  type HistoryEntry,
  openLog,
  TenfoldError,
} from '@tenfold/core'
import { type FolderSession, sessionsOfFolder } from '../sources/sessions-of-folder.ts'
import { openDigests } from '../state/digest-logs.ts'
import { openSeen } from '../state/seen-logs.ts'
import { storeOfMainWorkTree } from '../store/main-work-tree.ts'
import { openCheckpoints, openStore } from '../store/open-store.ts'
import { addedLine, foreignStoreLine } from '../store/store-origin.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { errorCode } from '../terminal/thrown.ts'
import { type AgentHooks, currentHooks } from './agent-hooks.ts'

/** Where the work in a folder stands. */
export interface Status {
  readonly folder: string
  readonly store: string
  readonly bundles: number
  readonly tracks: readonly string[]
  /** The newest bundle of all tracks but those of sub-agents, with what is open in it. */
  readonly last?: HistoryEntry & { readonly openErrors: number; readonly nextSteps: readonly string[] }
  /** The newest checkpoint of the current track. */
  readonly checkpoint?: CheckpointEntry
  /** The newest sessions of this folder that are not compressed in their present state, newest first. */
  readonly uncompressed: readonly FolderSession[]
  /** How many sessions of this folder the agents have left, compressed or not, of the newest. */
  readonly sessions: number
  /** The hooks that are installed, and what they did last. */
  readonly hooks: readonly AgentHooks[]
  /** What is said of a store, or of a last bundle or checkpoint, that was not made on this machine. */
  readonly foreign?: string
  /** The store of the main work tree, if this one has no bundle and is not the main one. */
  readonly mainStore?: string
}

const maxSessions = 10

/** Finds out where the work in a folder stands, from its store and from the folders of the agents. */
export async function findStatus(folder: string, place: string, context: CommandContext): Promise<Status> {
  const { terminal, signal } = context
  const store = await openStore(place, terminal)
  const entries = [...(await store.list())].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  const newest = entries.findLast(({ track }) => !track.startsWith('subagent-'))
  const checkpoint = (await (await openCheckpoints(place, terminal)).latest())?.entry
  const compressed = new Set(entries.map(({ sourceSha256 }) => sourceSha256))
  const sessions = await sessionsOfFolder(folder, maxSessions, signal)
  const mainStore = entries.length === 0 ? storeOfMainWorkTree(folder) : undefined
  const status = {
    folder,
    store: place,
    bundles: entries.length,
    tracks: await store.tracks(),
    ...(checkpoint !== undefined && { checkpoint }),
    uncompressed: await notCompressed(sessions, compressed),
    sessions: sessions.length,
    hooks: await currentHooks(context),
    ...(mainStore !== undefined && { mainStore }),
  }
  if (newest === undefined) return status
  const bundle = await store.load(newest.id).catch((error: unknown) => {
    if (!TenfoldError.isInstance(error)) throw error
    terminal.warn(`warning: ${cleanText(error.message)}`)
    return undefined
  })
  const { errors = [], nextSteps = [] } = bundle ?? {}
  const latest = checkpoint === undefined ? [] : [checkpoint]
  const foreign = foreignStoreLine(place) ?? (await addedLine(store, place, { bundle, checkpoints: latest }))
  const openErrors = errors.filter(({ resolution }) => resolution === undefined).length
  return {
    ...status,
    ...(foreign !== undefined && { foreign }),
    last: { ...newest, openErrors, nextSteps: nextSteps.map(({ action }) => action) },
  }
}

async function notCompressed(
  logs: readonly FolderSession[],
  compressed: ReadonlySet<string>,
): Promise<FolderSession[]> {
  const digests = openDigests()
  const seen = openSeen()
  const open: FolderSession[] = []
  for (const log of logs) {
    try {
      // A bundle names the digest of all files of its session, the hooks remember that of the log alone.
      const { digest = await digests.digest(log.path) } = log
      if (compressed.has(digest) || seen.get(digest)?.bundle !== undefined) continue
      if (!compressed.has(await digestLog(await openLog(log.path)))) open.push(log)
    } catch (error) {
      if (!TenfoldError.isInstance(error) && errorCode(error) === undefined) throw error
      // Compressing it says what is wrong with it.
      open.push(log)
    }
  }
  return open
}
