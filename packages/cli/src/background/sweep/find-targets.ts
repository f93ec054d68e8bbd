import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentLog, findAgentLogs, type SourceAgent, TenfoldError, thisPlace } from '@tenfold/core'
import { type LogPeek, peekLog } from '../../sources/peek-log.ts'
import { isRunning } from '../../sources/session-beside.ts'
import { databasesFirst, isTwin } from '../../sources/session-twins.ts'
import { sessionsOfLog } from '../../sources/sessions-of-log.ts'
import { stateOf } from '../../state/seen-logs.ts'
import { stateFolder } from '../../state/state-folder.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { errorCode, messageOf, unlessRefused } from '../../terminal/thrown.ts'
import { peekJobs } from '../hooks/job-queue.ts'
import { joinParts } from './join-parts.ts'
import type { KnownLogs } from './known-logs.ts'
import type { SweepSkips, SweepTarget } from './sweep-target.ts'

/** Options for the search of a sweep. */
export interface FindTargetsOptions {
  readonly agents: readonly SourceAgent[]
  /** How long a log must not have been written to, in milliseconds. */
  readonly idle: number
  readonly store: string | undefined
  /** Try logs again that failed before. */
  readonly retry: boolean
  readonly known: KnownLogs
  readonly signal: AbortSignal
  /** Called for everything that cannot be searched. */
  readonly onFault: (message: string) => void
}

type Skips = { -readonly [Reason in keyof SweepSkips]: number }

/** The logs in the agents' folders that are not compressed in their present state, oldest first. */
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
  const { retry, onFault } = options
  const { digests, seen, version } = options.known
  try {
    const sessions = await sessionsOfLog(log, digests)
    for (const { id } of sessions) if (id !== undefined) inDatabases.add(id)
    const fresh = sessions.filter((session) => {
      if (!isQuiet(session, options)) {
        skipped.busy += 1
        return false
      }
      const state = stateOf(seen.get(session.digest), version)
      if (state === 'open' || (state === 'failed' && retry)) return true
      skipped[state] += 1
      return false
    })
    if (fresh.length === 0) return []
    const peek = await peekAt(log)
    if (peek.own) {
      skipped.own += fresh.length
      return []
    }
    const targets: SweepTarget[] = []
    for (const { cwd, id: _, ...session } of fresh) {
      const store = chooseStore(options.store, log.project ?? cwd ?? peek.cwd)
      targets.push({ ...session, agent: log.agent, store, track: 'main' })
    }
    return targets
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    onFault(`${log.path}: ${messageOf(error)}`)
    return []
  }
}

/** A log that cannot be peeked into fails later as a log, with an error. */
async function peekAt(log: AgentLog): Promise<LogPeek> {
  try {
    return await peekLog(log.path)
  } catch (error) {
    if (TenfoldError.isInstance(error)) return { own: false, isPart: false }
    throw error
  }
}

/**
 * Chooses the store for a log that no hook reported: the given store, otherwise that of the project that the session
 * ran in. A log's own words are not trusted far: the folder must exist and belong to this user. Without one, the store
 * is `bundles` in the state folder.
 */
function chooseStore(named: string | undefined, cwd: string | undefined): string {
  if (named !== undefined) return named
  if (cwd !== undefined && isOwnFolder(cwd)) return projectStoreOf(cwd)
  return join(stateFolder(), 'bundles')
}

function isOwnFolder(path: string): boolean {
  const info = unlessRefused(() => statSync(path), undefined)
  if (info === undefined || !info.isDirectory()) return false
  return process.getuid === undefined || info.uid === process.getuid()
}
