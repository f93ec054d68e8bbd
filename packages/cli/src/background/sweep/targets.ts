import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { findLogs, TenfoldError } from '@tenfold/core'
import { thisPlace } from '@tenfold/core/internal'
import { type AgentLog, findAgentLogs, type SourceAgent } from '@tenfold/core/readers'
import type { LogOutcome } from '../../compress/compress-one.ts'
import { isRunning, peekLog } from '../../sources/peek-log.ts'
import { sessionsOfLog, sessionsOfLogs, twinInDatabase } from '../../sources/sessions-of-folder.ts'
import type { LogDigests } from '../../state/digest-logs.ts'
import { type SeenLogs, stateOf } from '../../state/seen-logs.ts'
import { isRemoteStore, stateFolder } from '../../state/trust.ts'
import { compressedIn, digestsIn } from '../../store/compressed-logs.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { unlessFaulty, unlessRefused } from '../../terminal/thrown.ts'
import {
  dueAt,
  finishJob,
  type HookJob,
  logHook,
  peekJobs,
  putBack,
  takeJob,
  waitingJobs,
} from '../hooks/job-queue.ts'

export interface SweepTarget {
  readonly log: string
  readonly agent: string
  readonly store: string
  readonly track: string
  /** Digest of the content when the log was found; what is written later is for the next sweep. */
  readonly digest: string
  /** Digests of other logs that are read together with this one and need no bundle of their own. */
  readonly parts?: readonly string[]
  readonly changed: number
  readonly job?: HookJob
}

export type SweptLog = Omit<LogOutcome, 'known'> & { readonly target: SweepTarget; readonly known?: string }

export interface KnownLogs {
  readonly digests: LogDigests
  readonly seen: SeenLogs
  readonly version: string
}

const noSkips = {
  done: 0,
  /** Logs that are still being written, or were written recently. */
  busy: 0,
  failed: 0,
  own: 0,
}
export type SweepSkips = typeof noSkips

interface FindTargetsOptions {
  readonly agents: readonly SourceAgent[]
  /** Milliseconds since the last write before a log is compressed. */
  readonly idle: number
  readonly store: string | undefined
  readonly retry: boolean
  readonly known: KnownLogs
  readonly signal: AbortSignal
  readonly onFault: (message: string) => void
}

export async function findTargets(options: FindTargetsOptions) {
  const { idle, retry, known, signal, onFault } = options
  const targets: SweepTarget[] = []
  const skipped = { ...noSkips }
  const waiting = new Set(peekJobs().map((job) => job.log))
  const isQuiet = ({ changed }: { readonly changed: number }): boolean => Date.now() - changed >= idle
  const isWanted = async (log: AgentLog): Promise<boolean> => {
    // Every session writes to the database, so its sessions are examined one by one.
    const quiet = log.unit === 'database' || (isQuiet(log) && !isRunning(log.path))
    if (quiet && !waiting.has(log.path)) return true
    const before = known.seen.of(log.path)
    const isKnown = before?.bundle !== undefined && Date.parse(before.at) >= log.changed
    const isDone = isKnown || (await isCompressedByHand(log, options.store))
    skipped[isDone ? 'done' : 'busy'] += 1
    return false
  }
  for (const agent of options.agents) {
    const { logs, folders, faults } = await findAgentLogs(agent, thisPlace())
    faults.forEach(onFault)
    const files: SweepTarget[] = []
    for await (const { log, sessions, fault } of sessionsOfLogs(logs, known.digests, isWanted)) {
      signal.throwIfAborted()
      if (fault !== undefined) onFault(fault)
      const fresh = sessions.filter((session) => {
        const state = isQuiet(session) ? stateOf(known.seen.get(session.digest), known.version) : 'busy'
        if (state === 'open' || (state === 'failed' && retry)) return true
        skipped[state] += 1
        return false
      })
      if (fresh.length === 0) continue
      // A log that cannot be peeked into fails later with an error, when it is read.
      const peek = await unlessFaulty(peekLog(log.path), undefined)
      if (peek?.own) skipped.own += fresh.length
      else
        for (const { cwd = peek?.cwd, id: _, ...session } of fresh) {
          const store = chooseStore(options.store, log.project ?? cwd)
          const target = { ...session, agent: log.agent, store, track: 'main' }
          ;(log.unit === 'file' ? files : targets).push(target)
        }
    }
    targets.push(...(await joinParts(files, folders, options)))
  }
  return { targets: targets.sort((a, b) => a.changed - b.changed), skipped }
}

async function isCompressedByHand({ path, project }: AgentLog, named: string | undefined): Promise<boolean> {
  const store = chooseStore(named, project ?? (await unlessFaulty(peekLog(path), undefined))?.cwd)
  return !isRemoteStore(store) && (await compressedIn(await digestsIn(store))(path))
}

/**
 * The store for a log that no hook reported: the given one, otherwise the store of the project that the session ran in.
 * A log is untrusted, so the folder that it names must exist and belong to this user. Otherwise the store is `bundles`
 * in the state folder.
 */
function chooseStore(named: string | undefined, cwd: string | undefined): string {
  if (named !== undefined) return named
  const info = cwd === undefined ? undefined : unlessRefused(() => statSync(cwd), undefined)
  const isOwn = info?.isDirectory() && (process.getuid?.() ?? info.uid) === info.uid
  return cwd !== undefined && isOwn ? projectStoreOf(cwd) : join(stateFolder(), 'bundles')
}

/** Adds to each target the digests of the logs read with it. Most logs were processed before and are not opened. */
async function joinParts(
  targets: readonly SweepTarget[],
  folders: readonly string[],
  { signal, onFault }: FindTargetsOptions,
): Promise<SweepTarget[]> {
  const byPath = new Map(targets.map((target) => [resolve(target.log), target]))
  for (const folder of foldersOfSeveral([...byPath.keys()], folders)) {
    try {
      const { companions } = await findLogs(folder, { only: (path) => byPath.has(resolve(path)), signal })
      for (const { path, log } of companions) {
        const part = byPath.get(resolve(path))
        const main = byPath.get(resolve(log))
        if (part === undefined || main === undefined) continue
        byPath.delete(resolve(path))
        byPath.set(resolve(log), { ...main, parts: [...(main.parts ?? []), part.digest] })
      }
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      onFault(error.message)
    }
  }
  return [...byPath.values()]
}

function foldersOfSeveral(paths: readonly string[], folders: readonly string[]): string[] {
  const innermost = folders.map((folder) => resolve(folder)).sort((a, b) => b.length - a.length)
  const homes = paths.map((path) => innermost.find((folder) => path.startsWith(`${folder}${sep}`)))
  return innermost.filter((folder) => homes.filter((home) => home === folder).length > 1)
}

const maxAttempts = 3
const retryAfter = 10 * 60_000
const lookForLog = 2_000

// Faults in a log's content, which recur until the content or tenfold changes. Other faults may pass: a full disk, an
// unreachable server, or a log that grows while it is read.
const lasting = new Set([
  ...['unknown-format', 'log-empty', 'log-too-large', 'log-unreadable', 'session-missing'],
  ...['invalid-bundle', 'secret-left'],
])

export function isLasting(code: string): boolean {
  return lasting.has(code)
}

export async function takeDueJobs(known: KnownLogs): Promise<SweepTarget[]> {
  const targets: SweepTarget[] = []
  for (const job of waitingJobs()) {
    if (dueAt(job) > Date.now() || !takeJob(job)) continue
    const target = await targetOf(job, known).catch(() => unreadable(job))
    const reason = target === undefined ? 'the log is missing' : reasonAgainst(target, known)
    if (target !== undefined && reason === undefined) targets.push(target)
    else if (target === undefined && (job.missingUntil ?? 0) > Date.now())
      putBack({ ...job, notBefore: Date.now() + lookForLog })
    else {
      logHook({ job: job.event, log: job.log, skipped: reason })
      finishJob(job)
    }
  }
  known.digests.save()
  return targets
}

/** Why a job's log is not compressed. A log that a sweep saved only in another store is still compressed. */
function reasonAgainst({ digest, store }: SweepTarget, { seen, version }: KnownLogs): string | undefined {
  const before = seen.get(digest)
  const state = stateOf(before, version)
  if (before !== undefined && state !== 'open') seen.add({ ...before, at: new Date().toISOString() })
  if (state === 'failed') return `failed before: ${before?.failed ?? 'tenfold was killed each time'}`
  return state === 'done' && before?.store === store ? 'already compressed in its present state' : undefined
}

async function targetOf(job: HookJob, { digests }: KnownLogs): Promise<SweepTarget | undefined> {
  const { log, agent } = job
  if (existsSync(log)) {
    const twin = await twinInDatabase(log, agent, digests)
    return targetFor(job, twin ?? { log, digest: await digests.digest(log), changed: statSync(log).mtimeMs })
  }
  const path = log.slice(0, Math.max(0, log.lastIndexOf('#')))
  if (path === '' || !existsSync(path)) return undefined
  const { mtimeMs: changed, size: bytes } = await stat(path)
  const sessions = await sessionsOfLog({ agent, path, unit: 'database', bytes, changed }, digests)
  const session = sessions.find((each) => each.log === log)
  return session && targetFor(job, session)
}

function targetFor(job: HookJob, found: Pick<SweepTarget, 'log' | 'digest' | 'changed'>): SweepTarget {
  const { agent, store, track } = job
  const { log, digest, changed } = found
  return { log, agent, store, track, digest, changed, job }
}

/** A target identified by its path, which fails when it is compressed, so that other logs still get their turn. */
function unreadable(job: HookJob): SweepTarget {
  const digest = createHash('sha256').update(`unreadable\0${job.log}`).digest('hex')
  return targetFor(job, { log: job.log, digest, changed: Date.now() })
}

export function settleJob(job: HookJob, { done, known, error, interrupted }: SweptLog): void {
  const attempts = job.attempts + 1
  const mayPass = error !== undefined && !isLasting(error.code) && error.code !== 'log-missing'
  const again = interrupted || (mayPass && attempts < maxAttempts)
  const failed = { ...(interrupted ? { skipped: 'interrupted' } : { fault: error?.message }), again }
  const { agent, event, log, store } = job
  const ended = error === undefined ? { bundle: done?.bundle.id ?? known, track: done?.track } : failed
  logHook({ agent, job: event, log, store, ...ended })
  if (!again) finishJob(job)
  else if (interrupted) putBack(job)
  else putBack({ ...job, attempts, notBefore: Date.now() + retryAfter * attempts })
}
