import { createHash, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { bundleStore, type Storage } from '@tenfold/core'
import {
  type DoneWork,
  digestLog,
  openLedger,
  type ThreadLogOptions,
  workDigest,
} from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import type { JobsOptions } from 'bullmq'
import type { JobData, Json } from './job.ts'
import { type OpenQueue, openQueue, type QueuePlace } from './open-queue.ts'
import { beginRun } from './run-budget.ts'
import { uploadLog } from './uploads.ts'

/** Functions that the queueing program and the workers share: how to open a store, and what a request means. */
export interface QueueParts {
  /** Opens the storage at a folder or a URL. */
  openStorage(place: string): Storage | Promise<Storage>
  /** Converts a request to the library's options. API keys come from the worker's environment. */
  optionsOf(request: Json): QueuedOptions | Promise<QueuedOptions>
}

/** Options of `compressLog` that a job can carry. */
export type QueuedOptions = Omit<ThreadLogOptions, 'store' | 'signal' | 'previous'>

/** Options of {@link queueLogs}. */
export interface QueueLogsOptions extends QueuePlace, QueueParts {
  /** Folder or URL of the store that gets the bundles; the same on all machines. */
  readonly store: string
  /** Options for each log, as plain JSON without secrets. `optionsOf` interprets it. */
  readonly request: Json
  /** Returns a log's track, to override the one in the request. */
  readonly trackOf?: ((log: string) => Promise<string | undefined>) | undefined
  /** Copy the logs into the store, for workers that cannot read this machine's folders. @default false */
  readonly upload?: boolean | undefined
  /** Spend at most this much on all these logs together. @default no limit */
  readonly maxCost?: number | undefined
  /** Number of attempts at a log whose failure may be temporary. @default 3 */
  readonly attempts?: number | undefined
  /** Stops queueing. */
  readonly signal?: AbortSignal | undefined
}

/** The result for a log: it was queued, needs no job, or cannot be read. */
export type QueueLogResult = { readonly log: string } & (
  | { readonly queued: string }
  /** The log is already in the queue, or a worker has it. */
  | { readonly waiting: string }
  /** The log failed before with this error. `retryJobs` tries it again. */
  | { readonly failed: string; readonly reason: string }
  | { readonly known: DoneWork }
  | { readonly error: unknown }
)

const atATime = 8

/**
 * Queues logs for workers on any machine, each once per store and request, unless the store already has its bundle.
 * Yields a result for each log in order. A log that cannot be read does not stop the others.
 */
export async function* queueLogs(
  logs: Iterable<string> | AsyncIterable<string>,
  options: QueueLogsOptions,
): AsyncGenerator<QueueLogResult> {
  const { openStorage, optionsOf, request, maxCost, signal } = options
  const store = /^[a-z0-9+.-]+:\/\//i.test(options.store) ? options.store : resolve(options.store)
  const storage = await openStorage(store)
  const made = await optionsOf(request)
  const open = await openQueue(options)
  try {
    const run = `${new Date().toISOString().replace(/\W|\d{3}Z$/g, '')}-${randomBytes(3).toString('hex')}`
    let begun: Promise<void> | undefined
    const begin = () => (begun ??= beginRun(open, run, maxCost))
    const adding = { open, storage, store, made, run, begin, options }
    let chunk: string[] = []
    for await (const log of logs) {
      if (chunk.push(log) < atATime) continue
      yield* await addAll(chunk, adding)
      chunk = []
      signal?.throwIfAborted()
    }
    yield* await addAll(chunk, adding)
  } finally {
    await open.close()
  }
}

interface Adding {
  readonly open: OpenQueue
  readonly storage: Storage
  readonly store: string
  readonly made: QueuedOptions
  readonly run: string
  begin(): Promise<void>
  readonly options: QueueLogsOptions
}

/** Reads logs concurrently and queues them in order. */
async function addAll(logs: readonly string[], adding: Adding): Promise<QueueLogResult[]> {
  const prepared = await Promise.all(
    logs.map(async (log) => {
      try {
        return await prepare(log, adding)
      } catch (error) {
        adding.options.signal?.throwIfAborted()
        return { log, error }
      }
    }),
  )
  const jobs = new Map<string, NewJob>()
  const results = prepared.map((each): QueueLogResult => {
    if (!('data' in each)) return each
    const { jobId } = each.opts
    const log = each.data.log.name
    // Two of these logs may have the same content.
    if (jobs.has(jobId)) return { log, waiting: jobId }
    jobs.set(jobId, each)
    return { log, queued: jobId }
  })
  if (jobs.size > 0) await adding.begin()
  await adding.open.queue.addBulk([...jobs.values()])
  return results
}

interface NewJob {
  readonly name: string
  readonly data: JobData
  readonly opts: JobsOptions & { readonly jobId: string }
}

async function prepare(
  log: string,
  { open, storage, store, made, run, options }: Adding,
): Promise<QueueLogResult | NewJob> {
  const { format, readers, maxLogBytes } = made
  const opened = await openLog(log, { format, readers, maxLogBytes })
  const sha256 = await digestLog(opened, { format, readers, signal: options.signal })
  const track = await options.trackOf?.(log)
  const wanted = { ...made, session: opened.sessionId }
  const ledger = openLedger(bundleStore(storage))
  const digest = workDigest(sha256, track === undefined ? wanted : { ...wanted, track })
  // An earlier run may have used the request's track.
  const known = (await ledger.find(digest)) ?? (await ledger.find(workDigest(sha256, wanted)))
  if (known !== undefined) return { log, known }
  // Begins with a letter, because BullMQ uses plain numbers for its own ids.
  const jobId = `w${createHash('sha256').update(`${store}\n${digest}`).digest('hex').slice(0, 31)}`
  const before = await open.queue.getJob(jobId)
  const state = await before?.getState()
  if (state === 'failed') return { log, failed: jobId, reason: before?.failedReason ?? '' }
  if (before !== undefined && state !== 'unknown') return { log, waiting: jobId }
  const place =
    options.upload === true
      ? { files: await uploadLog(opened, storage, jobId) }
      : { path: resolve(opened.files[0]?.path ?? log) }
  const { sessionId } = opened
  return {
    name: 'compress',
    data: {
      version: 1,
      store,
      request: options.request,
      track,
      run,
      log: { name: log, ...place, sessionId },
    },
    opts: {
      jobId,
      attempts: options.attempts ?? 3,
      backoff: { type: 'exponential', delay: 2000, jitter: 0.5 },
      // A finished job's bundle is in the store. A failed job stays until someone retries or removes it.
      removeOnComplete: true,
      stackTraceLimit: 0,
    },
  }
}
