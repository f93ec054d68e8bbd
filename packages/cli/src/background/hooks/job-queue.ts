import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasEnded, type LockOwner } from '@tenfold/core/internal/locks'
import { stateFiles, stateFolder, statePlace, writeState } from '../../state/trust.ts'
import { hasTexts, parseJson } from '../../terminal/regular-file.ts'
import { terminalOn, toSafeJson } from '../../terminal/terminal.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'

// One file per job. Hooks write `<id>.json`; a worker first renames it to `<id>.taken`, so a hook that requests the job
// again meanwhile adds a new file. A killed worker leaves its `.taken` file.

export interface HookJob {
  readonly version: 1
  readonly agent: HookAgent
  readonly event: string
  readonly log: string
  readonly store: string
  readonly track: string
  readonly session?: string
  readonly given?: string
  /** The agent's process: the session is over when it ends. */
  readonly process?: LockOwner
  /** Milliseconds since 1970: when the job was first requested, and the earliest time to start it. */
  readonly queuedAt: number
  readonly notBefore: number
  /** Until this time the log may be missing, because its agent has not written it yet. */
  readonly missingUntil?: number
  readonly attempts: number
}

const maxDebounce = 60 * 60 * 1000

/** Durable when this returns. A repeated request postpones the job by at most an hour in all; a due job stays due. */
export function enqueue(job: HookJob): void {
  const before = readJob(fileOf(job, 'json'))
  const queuedAt = Math.min(before?.queuedAt ?? job.queuedAt, job.queuedAt)
  const isDue = before !== undefined && before.notBefore <= Date.now()
  const latest = isDue ? before.notBefore : queuedAt + maxDebounce
  writeJob(before === undefined ? job : { ...job, queuedAt, notBefore: Math.min(job.notBefore, latest) })
}

/** Includes jobs that a killed process left. Call only if no other process takes jobs. */
export function waitingJobs(): HookJob[] {
  statePlace('queue')
  for (const path of stateFiles('queue', /\.taken$/)) {
    const back = path.replace(/taken$/, 'json')
    // A newer file already requests this job.
    if (existsSync(back)) rmSync(path, { force: true })
    else renameSync(path, back)
  }
  return peekJobs()
}

export function peekJobs(): HookJob[] {
  return jobsIn(/^[0-9a-f]{32}\.json$/)
}

/** Includes jobs that a process is working on. */
export function openJobs(): HookJob[] {
  return jobsIn(/^[0-9a-f]{32}\.(?:json|taken)$/)
}

function jobsIn(names: RegExp): HookJob[] {
  const jobs = stateFiles('queue', names).flatMap((path) => readJob(path) ?? [])
  return jobs.sort((a, b) => a.queuedAt - b.queuedAt)
}

export function takeJob(job: HookJob): boolean {
  const take = (): boolean => {
    renameSync(fileOf(job, 'json'), fileOf(job, 'taken'))
    return true
  }
  return unlessRefused(take, false, 'ENOENT')
}

export function finishJob(job: HookJob): void {
  rmSync(fileOf(job, 'taken'), { force: true })
}

export function putBack(job: HookJob): void {
  if (!existsSync(fileOf(job, 'json'))) writeJob(job)
  finishJob(job)
}

function fileOf(job: HookJob, ending: 'json' | 'taken'): string {
  return join(stateFolder(), 'queue', `${jobId(job)}.${ending}`)
}

export function jobId({ log, store, track }: Pick<HookJob, 'log' | 'store' | 'track'>): string {
  return createHash('sha256').update(`${log}\0${store}\0${track}`).digest('hex').slice(0, 32)
}

/** When a job may start. A job postponed because its session may continue is due once its agent has ended. */
export function dueAt({ notBefore, missingUntil, process }: HookJob): number {
  const isOver = missingUntil === undefined && process !== undefined && hasEnded(process, true)
  return isOver ? Math.min(notBefore, Date.now()) : notBefore
}

/** Renames a file that is not a job to `.bad` and logs that. */
function readJob(path: string): HookJob | undefined {
  const text = unlessRefused(() => readFileSync(path, 'utf8'), undefined, 'ENOENT')
  const job = text === undefined ? undefined : parseJson(text)
  if (text === undefined || isJob(job)) return job as HookJob | undefined
  renameSync(path, `${path}.bad`)
  logHook({ fault: 'a file in the queue is not a job and was set aside', file: `${path}.bad` })
  return undefined
}

function isJob(job: unknown): job is HookJob {
  if (!hasTexts(job, ['agent', 'event', 'log', 'store', 'track'])) return false
  const { version, agent, event, log, store, track, process } = job
  return (
    version === 1 &&
    isHookAgent(agent) &&
    [event, log, store, track].every((text) => text !== '') &&
    [job.queuedAt, job.notBefore, job.attempts].every((number) => Number.isFinite(number)) &&
    (process === undefined || (typeof process === 'object' && process !== null))
  )
}

function writeJob(job: HookJob): void {
  writeState(fileOf(job, 'json'), job, true)
}

const largestLog = 1_000_000
const maxTextLength = 1_000

/** Never throws. If hooks.log cannot be written, it reports that on stderr, which agents do not show. */
export function logHook(fields: Readonly<Record<string, unknown>>): void {
  try {
    const path = join(statePlace(), 'hooks.log')
    keepSmall(path)
    // A hostile path or name must not push other entries out of the log.
    const shortened = (_: string, value: unknown): unknown =>
      typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
    const line = JSON.parse(JSON.stringify({ at: new Date().toISOString(), ...fields }, shortened))
    appendFileSync(path, `${toSafeJson(line)}\n`, { mode: 0o600 })
  } catch (error) {
    process.stderr.write(`tenfold: hooks.log cannot be written: ${toSafeJson(String(error))}\n`)
  }
}

export function keepSmall(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > largestLog) renameSync(path, `${path}.1`)
}

/** Stdout is reserved for the hook's answer, so everything goes to hooks.log. */
export function quietTerminal(agent: string) {
  const write = (text: string | Uint8Array): void => logHook({ agent, said: String(text).trimEnd() })
  const stream = { write, isTTY: false, columns: undefined, onError: () => undefined }
  return terminalOn({ stdout: stream, stderr: stream })
}
