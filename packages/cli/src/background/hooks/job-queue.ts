import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasEnded, type LockOwner } from '@tenfold/core/internal/locks'
import { stateFiles, stateFolder, statePlace, writeState } from '../../state/trust.ts'
import { hasTexts, parseJson } from '../../terminal/regular-file.ts'
import { terminalOn, toSafeJson } from '../../terminal/terminal.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'

// One file per job. Hooks write `<id>.json`; a process that works on it first renames it to `<id>.taken`, so that a
// hook that requests it again meanwhile adds a new file and nothing is lost. A `.taken` without a worker was left by a
// killed process.

export interface HookJob {
  readonly version: 1
  readonly agent: HookAgent
  readonly event: string
  readonly log: string
  readonly store: string
  readonly track: string
  readonly session?: string
  readonly given?: string
  /** The process of the agent: its session is over with it. */
  readonly process?: LockOwner
  /** Milliseconds since 1970: when it was first requested, and the earliest time to start it. */
  readonly queuedAt: number
  readonly notBefore: number
  /** Until then the log may be missing: its agent has yet to write it. */
  readonly missingUntil?: number
  readonly attempts: number
}

const maxDebounce = 60 * 60 * 1000

/** On the disk when this returns. It is postponed again, but never by more than an hour; what is due remains due. */
export function enqueue(job: HookJob): void {
  const before = readJob(fileOf(job, 'json'))
  const queuedAt = Math.min(before?.queuedAt ?? job.queuedAt, job.queuedAt)
  const isDue = before !== undefined && before.notBefore <= Date.now()
  const latest = isDue ? before.notBefore : queuedAt + maxDebounce
  writeJob(before === undefined ? job : { ...job, queuedAt, notBefore: Math.min(job.notBefore, latest) })
}

/** Those that a killed process left too. Call only if nobody else takes jobs. */
export function waitingJobs(): HookJob[] {
  statePlace('queue')
  for (const path of stateFiles('queue', /\.taken$/)) {
    const back = path.replace(/taken$/, 'json')
    // A newer file requests the same job.
    if (existsSync(back)) rmSync(path, { force: true })
    else renameSync(path, back)
  }
  return peekJobs()
}

export function peekJobs(): HookJob[] {
  return jobsIn(/^[0-9a-f]{32}\.json$/)
}

/** Those that a process works on included. */
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

/** When a job may start. What is postponed, since its session may go on, is due once its agent has ended. */
export function dueAt({ notBefore, missingUntil, process }: HookJob): number {
  const isOver = missingUntil === undefined && process !== undefined && hasEnded(process, true)
  return isOver ? Math.min(notBefore, Date.now()) : notBefore
}

/** A file that is not a job is set aside, and the log says so. */
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

/** Never throws: a hook that cannot write its log reports that on stderr, which agents do not show. */
export function logHook(fields: Readonly<Record<string, unknown>>): void {
  try {
    const path = join(statePlace(), 'hooks.log')
    keepSmall(path)
    // A hostile path or name must not push everything else out of the log.
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

/** Stdout belongs to the answer, so everything goes to the log of the hooks. */
export function quietTerminal(agent: string) {
  const write = (text: string | Uint8Array): void => logHook({ agent, said: String(text).trimEnd() })
  const stream = { write, isTTY: false, columns: undefined, onError: () => undefined }
  return terminalOn({ stdout: stream, stderr: stream })
}
