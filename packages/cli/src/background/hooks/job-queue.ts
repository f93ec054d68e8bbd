import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { hasEnded, type LockOwner, ownerOf } from '@tenfold/core/internal/locks'
import { stateFolder, statePlace } from '../../state/state-folder.ts'
import { hasTexts, parseJson } from '../../terminal/regular-file.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'
import { logHook } from './hook-log.ts'

// One file per job. Hooks write `<id>.json`; a process that works on it first renames it to `<id>.taken`, so that a
// hook that requests it again meanwhile adds a new file and nothing is lost. A `.taken` without a worker was left by a
// killed process.

const maxDebounce = 60 * 60 * 1000

/**
 * Puts a job into the queue; it is on the disk when this returns. A postponed job (`notBefore` in the future) is
 * postponed again, but never by more than an hour after it was first requested; a job that is due remains due.
 */
export function enqueue(job: HookJob): void {
  const folder = queueFolder()
  const path = join(folder, `${jobId(job)}.json`)
  const before = readJob(path)
  writeJob(folder, path, before === undefined ? job : merged(before, job))
}

function merged(before: HookJob, job: HookJob): HookJob {
  const queuedAt = Math.min(before.queuedAt, job.queuedAt)
  const due = before.notBefore <= Date.now()
  const notBefore = due ? before.notBefore : Math.min(job.notBefore, queuedAt + maxDebounce)
  return { ...job, queuedAt, notBefore: Math.min(notBefore, job.notBefore) }
}

/** All waiting jobs, oldest first, including those that a killed process left. Call only if nobody else takes jobs. */
export function waitingJobs(): HookJob[] {
  const folder = queueFolder()
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.taken')) continue
    const path = join(folder, name)
    const back = join(folder, name.replace(/\.taken$/, '.json'))
    // A newer file requests the same job.
    if (existsSync(back)) rmSync(path, { force: true })
    else renameSync(path, back)
  }
  return peekJobs()
}

/** All waiting jobs, without touching them; empty if there is no queue yet. */
export function peekJobs(): HookJob[] {
  return jobsIn(/^[0-9a-f]{32}\.json$/)
}

function jobsIn(names: RegExp): HookJob[] {
  const folder = join(stateFolder(), 'queue')
  if (!existsSync(folder)) return []
  const jobs: HookJob[] = []
  for (const name of readdirSync(folder)) {
    if (!names.test(name)) continue
    const job = readJob(join(folder, name))
    if (job !== undefined) jobs.push(job)
  }
  return jobs.sort((a, b) => a.queuedAt - b.queuedAt)
}

/** All jobs that are not finished, those that a process works on included. */
export function openJobs(): HookJob[] {
  return jobsIn(/^[0-9a-f]{32}\.(?:json|taken)$/)
}

/** Takes a job for this process; false if it is missing. */
export function takeJob(job: HookJob): boolean {
  const path = join(queueFolder(), jobId(job))
  const take = (): boolean => {
    renameSync(`${path}.json`, `${path}.taken`)
    return true
  }
  return unlessRefused(take, false, 'ENOENT')
}

export function finishJob(job: HookJob): void {
  rmSync(join(queueFolder(), `${jobId(job)}.taken`), { force: true })
}

export function putBack(job: HookJob): void {
  const folder = queueFolder()
  const path = join(folder, `${jobId(job)}.json`)
  if (!existsSync(path)) writeJob(folder, path, job)
  finishJob(job)
}

function queueFolder(): string {
  return statePlace('queue')
}

/** Reads a job; undefined if there is none. A file that is not a job is set aside, and the log says so. */
function readJob(path: string): HookJob | undefined {
  const text = unlessRefused(() => readFileSync(path, 'utf8'), undefined, 'ENOENT')
  if (text === undefined) return undefined
  const job = parseJob(text)
  if (job !== undefined) return job
  renameSync(path, `${path}.bad`)
  logHook({ fault: 'a file in the queue is not a job and was set aside', file: `${path}.bad` })
  return undefined
}

function writeJob(folder: string, path: string, job: HookJob): void {
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(file, `${JSON.stringify(job)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
  syncFolder(folder)
}

/** Skipped on Windows, which cannot open folders and keeps names in its journal. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

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

/** Name of a job. The same log, store and track have one job, no matter how often it is requested. */
export function jobId({ log, store, track }: Pick<HookJob, 'log' | 'store' | 'track'>): string {
  return createHash('sha256').update(`${log}\0${store}\0${track}`).digest('hex').slice(0, 32)
}

/** When a job may start. What is postponed, since its session may go on, is due once its agent has ended. */
export function dueAt({ notBefore, missingUntil, process }: HookJob): number {
  const isOver = missingUntil === undefined && process !== undefined && hasEnded(process, true)
  return isOver ? Math.min(notBefore, Date.now()) : notBefore
}

/** Parses a job from its file; undefined if it is not one. */
function parseJob(text: string): HookJob | undefined {
  const value = parseJson(text)
  return isJob(value) ? value : undefined
}

function isJob(job: unknown): job is HookJob {
  if (!hasTexts(job, ['agent', 'event', 'log', 'store', 'track'])) return false
  const texts = [job.event, job.log, job.store, job.track]
  const numbers = [job.queuedAt, job.notBefore, job.attempts]
  return (
    job.version === 1 &&
    texts.every((text) => text !== '') &&
    numbers.every((number) => Number.isFinite(number)) &&
    [job.session, job.given].every((text) => text === undefined || typeof text === 'string') &&
    (job.missingUntil === undefined || typeof job.missingUntil === 'number') &&
    (job.process === undefined || ownerOf(JSON.stringify(job.process)) !== undefined) &&
    isHookAgent(job.agent)
  )
}
