import { statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { findLogs, TenfoldError } from '@tenfold/core'
import { thisPlace } from '@tenfold/core/internal'
import { type AgentLog, findAgentLogs, type SourceAgent } from '@tenfold/core/readers'
import { isRunning, peekLog } from '../../sources/peek-log.ts'
import { databasesFirst, isTwin, sessionsOfLog } from '../../sources/sessions-of-log.ts'
import { stateOf } from '../../state/seen-logs.ts'
import { stateFolder } from '../../state/state-folder.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { errorCode, messageOf, unlessRefused } from '../../terminal/thrown.ts'
import { peekJobs } from '../hooks/job-queue.ts'
import type { KnownLogs, SweepSkips, SweepTarget } from './sweep-target.ts'

interface FindTargetsOptions {
  readonly agents: readonly SourceAgent[]
  /** How long a log must not have been written to, in milliseconds. */
  readonly idle: number
  readonly store: string | undefined
  readonly retry: boolean
  readonly known: KnownLogs
  readonly signal: AbortSignal
  /** Called for everything that cannot be searched. */
  readonly onFault: (message: string) => void
}

type Skips = { -readonly [Reason in keyof SweepSkips]: number }

export async function findTargets(
  options: FindTargetsOptions,
): Promise<{ readonly targets: readonly SweepTarget[]; readonly skipped: SweepSkips }> {
  const targets: SweepTarget[] = []
  const skipped: Skips = { done: 0, busy: 0, failed: 0, own: 0 }
  const waiting = new Set(peekJobs().map((job) => job.log))
  for (const agent of options.agents) {
    const { logs, folders, faults } = await findAgentLogs(agent, thisPlace())
    const files: SweepTarget[] = []
    faults.forEach(options.onFault)
    const inDatabases = new Set<string>()
    for (const log of databasesFirst(logs)) {
      if (isTwin(log, inDatabases)) continue
      options.signal.throwIfAborted()
      // Every session writes to the database, so its sessions are examined one by one.
      const quiet = log.unit === 'database' || (isQuiet(log, options) && !isRunning(log.path))
      if (waiting.has(log.path) || !quiet) skipped.busy += 1
      else
        (log.unit === 'file' ? files : targets).push(...(await targetsOf(log, options, skipped, inDatabases)))
    }
    targets.push(...(await joinParts(files, folders, options)))
  }
  targets.sort((a, b) => a.changed - b.changed)
  return { targets, skipped }
}

function isQuiet({ changed }: { readonly changed: number }, { idle }: FindTargetsOptions): boolean {
  return Date.now() - changed >= idle
}

async function targetsOf(
  log: AgentLog,
  options: FindTargetsOptions,
  skipped: Skips,
  inDatabases: Set<string>,
): Promise<SweepTarget[]> {
  const { digests, seen, version } = options.known
  try {
    const sessions = await sessionsOfLog(log, digests)
    for (const { id } of sessions) if (id !== undefined) inDatabases.add(id)
    const fresh = sessions.filter((session) => {
      const state = isQuiet(session, options) ? stateOf(seen.get(session.digest), version) : 'busy'
      if (state === 'open' || (state === 'failed' && options.retry)) return true
      skipped[state] += 1
      return false
    })
    const peek = fresh.length === 0 ? undefined : await peekAt(log)
    if (peek === undefined || peek.own) {
      skipped.own += fresh.length
      return []
    }
    return fresh.map(({ cwd, id: _, ...session }) => {
      const store = chooseStore(options.store, log.project ?? cwd ?? peek.cwd)
      return { ...session, agent: log.agent, store, track: 'main' }
    })
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    options.onFault(`${log.path}: ${messageOf(error)}`)
    return []
  }
}

/** A log that cannot be peeked into fails later as a log, with an error. */
async function peekAt(log: AgentLog): Promise<{ readonly own: boolean; readonly cwd?: string }> {
  try {
    return await peekLog(log.path)
  } catch (error) {
    if (TenfoldError.isInstance(error)) return { own: false }
    throw error
  }
}

/**
 * The store for a log that no hook reported: the given one, otherwise that of the project that the session ran in. A
 * log's own words are not trusted far: the folder must exist and belong to this user. Without one, the store is
 * `bundles` in the state folder.
 */
function chooseStore(named: string | undefined, cwd: string | undefined): string {
  if (named !== undefined) return named
  const info = cwd === undefined ? undefined : unlessRefused(() => statSync(cwd), undefined)
  const isOwn = info?.isDirectory() && (process.getuid?.() ?? info.uid) === info.uid
  return cwd !== undefined && isOwn ? projectStoreOf(cwd) : join(stateFolder(), 'bundles')
}

/**
 * The targets without those that are read with another one, such as sessions that another session started; each
 * remaining target gets the digests of its parts. Only targets are opened: most logs of an agent were processed before.
 */
async function joinParts(
  targets: readonly SweepTarget[],
  folders: readonly string[],
  { signal, onFault }: FindTargetsOptions,
): Promise<SweepTarget[]> {
  const byPath = new Map(targets.map((target) => [resolve(target.log), target]))
  const parts = new Map<string, string[]>()
  for (const folder of foldersOfSeveral([...byPath.keys()], folders)) {
    try {
      const { companions } = await findLogs(folder, { only: (path) => byPath.has(resolve(path)), signal })
      for (const { path, log } of companions) {
        const part = byPath.get(resolve(path))
        const main = resolve(log)
        if (part === undefined || !byPath.has(main)) continue
        byPath.delete(resolve(path))
        parts.set(main, [...(parts.get(main) ?? []), part.digest])
      }
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      onFault(error.message)
    }
  }
  return [...byPath].map(([path, target]) => {
    const digests = parts.get(path)
    return digests === undefined ? target : { ...target, parts: digests }
  })
}

function foldersOfSeveral(paths: readonly string[], folders: readonly string[]): string[] {
  const innermost = folders.map((folder) => resolve(folder)).sort((a, b) => b.length - a.length)
  const homes = paths.map((path) => innermost.find((folder) => path.startsWith(`${folder}${sep}`)))
  return innermost.filter((folder) => homes.filter((home) => home === folder).length > 1)
}
