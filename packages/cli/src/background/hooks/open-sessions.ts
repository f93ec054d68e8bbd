import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { thisPlace } from '@tenfold/core/internal'
import { hasEnded, type LockOwner } from '@tenfold/core/internal/locks'
import { findAgentLogs, sourceAgents } from '@tenfold/core/readers'
import { openSeen, type SeenLogs } from '../../state/seen-logs.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { agentProcess, openToWrite } from './agent-process.ts'
import { type HookAgent, hookAgentOf } from './hook-agents.ts'
import { findTranscript, type HookPayload } from './hook-payload.ts'
import { openJobs } from './job-queue.ts'
import { marksOf } from './session-mark.ts'

export interface OpenSession {
  readonly agent: HookAgent
  readonly session?: string
  /** `PATH`, or `PATH#ID` in a database. */
  readonly log: string
  readonly changed: number
  readonly given?: string
}

const hour = 60 * 60_000
/** Looks this far back before the newest bundle: a session may have been killed then without an event. */
const beforeNewest = 12 * hour
/** Looks this far back if the store has no bundle: only recent work matters then. */
const withoutBundle = 24 * hour
/** An agent with an unknown process that writes nothing for this long counts as ended. */
const quiet = 5_000
/** After this time without a change of its log, a session counts as ended, because process ids are reused. */
const runsAtMost = 24 * hour
const maxPeeks = 20
/** A hook has time for no more. */
const maxOver = 5

/**
 * Finds a project's sessions that ended without an event, such as killed ones, and those that are still running.
 * Sessions with a mark are judged by their agent's process. Other recent logs of the project count as running if a
 * process has them open or just wrote to them. Leaves out the session that is `starting`, or, without one, the session
 * of the agent that runs this process.
 */
export async function findOpenSessions(
  { project, store }: { readonly project: string; readonly store: string },
  starting?: HookPayload,
) {
  const found = starting && findTranscript(starting)
  const own = found && ('path' in found ? found.path : found.expected)
  const mine = agentProcess()
  const seen = openSeen()
  const now = Date.now()
  const over: OpenSession[] = []
  const running: OpenSession[] = []
  const judged = new Set(own === undefined ? [] : [own])
  for (const { agent, session, log, process, brief, ended, used } of marksOf(store)) {
    if (log === undefined || judged.has(log) || (agent === starting?.agent && session === starting.session))
      continue
    const changed = log.includes('#') ? used : (statSync(log, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    const open = { agent, session, log, changed, ...(brief !== undefined && { given: brief }) }
    judged.add(log)
    if (ended || process === undefined || changed === 0) continue
    if (starting === undefined && isSame(process, mine)) continue
    const lives = !hasEnded(process, true) && now - changed < runsAtMost
    if (lives && (!isSame(process, mine) || now - changed < quiet)) running.push(open)
    else if (!isDone(open, seen, store)) over.push(open)
  }
  const waiting = new Set(openJobs().map((job) => job.log))
  const others = (await logsSince(sinceOf(store, now)))
    .filter((log) => !judged.has(log.log) && !waiting.has(log.log) && !isDone(log, seen, store))
    .slice(0, maxPeeks)
  const unknown: OpenSession[] = []
  if (others.length > 0) {
    const { folderOfSession, isWithin } = await import('../../sources/sessions-of-folder.ts')
    for (const log of others) {
      const cwd = await folderOfSession(log.log)
      if (cwd === undefined) continue
      if (isWithin(project, cwd) || (existsSync(cwd) && projectStoreOf(cwd) === store)) unknown.push(log)
    }
  }
  const held = openToWrite(unknown.map(({ log }) => log))
  for (const log of unknown) (held.has(log.log) || now - log.changed < quiet ? running : over).push(log)
  const newestFirst = over.filter(({ log }) => !waiting.has(log)).sort((a, b) => b.changed - a.changed)
  return { over: (await notCompressed(newestFirst, store)).reverse(), running }
}

/** Keeps the newest sessions that the store has no bundle of. Hooks do not see what is compressed by hand. */
async function notCompressed(logs: readonly OpenSession[], store: string): Promise<OpenSession[]> {
  const open: OpenSession[] = []
  if (logs.length === 0) return open
  const { compressedIn, digestsIn } = await import('../../store/compressed-logs.ts')
  const isCompressed = compressedIn(await digestsIn(store))
  for (const session of logs) {
    if (open.length === maxOver) break
    // A database file holds many sessions, so its digest does not identify one.
    if (session.log.includes('#') || !(await isCompressed(session.log))) open.push(session)
  }
  return open
}

function isSame(process: LockOwner, mine: LockOwner | undefined): boolean {
  return process.pid === mine?.pid && process.began === mine.began
}

function isDone({ log, changed }: OpenSession, seen: SeenLogs, store: string): boolean {
  const last = seen.of(log)
  if (last === undefined || Date.parse(last.at) < changed) return false
  return last.failed !== undefined || (last.bundle !== undefined && last.store === store)
}

function sinceOf(store: string, now: number): number {
  const names = unlessRefused(() => readdirSync(join(store, 'tracks', 'main')), [])
  const stamp = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-\d{9}\.json$/
  const newest = names.sort().findLast((name) => stamp.test(name))
  if (newest === undefined) return now - withoutBundle
  return Date.parse(newest.replace(stamp, '$1-$2-$3T$4:$5:$6.$7Z')) - beforeNewest
}

/** Logs changed after `since`, newest first. Databases are left out, since their sessions have marks. */
async function logsSince(since: number): Promise<OpenSession[]> {
  const place = thisPlace()
  const logs: OpenSession[] = []
  for (const source of sourceAgents) {
    const agent = hookAgentOf(source.name)
    if (agent === undefined) continue
    const files = { ...source, logs: source.logs.filter(({ unit = 'file' }) => unit === 'file') }
    for (const { path, changed } of (await findAgentLogs(files, place)).logs)
      if (changed > since) logs.push({ agent, log: path, changed })
  }
  return logs.sort((a, b) => b.changed - a.changed)
}
