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

/** What is the same for whoever queues logs and for workers: how to open a store, and what a request means. */
export interface QueueParts {
  /** Opens the storage at a place: a folder, or a URL. */
  openStorage(place: string): Storage | Promise<Storage>
  /** Makes the options of the library from a request. Keys of providers come from the worker's environment. */
  optionsOf(request: Json): QueuedOptions | Promise<QueuedOptions>
}

/** Options of `compressLog` that a job can carry. */
export type QueuedOptions = Omit<ThreadLogOptions, 'store' | 'signal' | 'previous'>

/** Options of {@link queueLogs}. */
export interface QueueLogsOptions extends QueuePlace, QueueParts {
  /** Folder or URL of the store that gets the bundles; the same on all machines. */
  readonly store: string
  /** What to do with each log, as plain JSON without secrets; `optionsOf` says what it means. */
  readonly request: Json
  /** The track of a log, if it is not the one that the request names. */
  readonly trackOf?: ((log: string) => Promise<string | undefined>) | undefined
  /** Copy the logs into the store: for workers that do not see the folders of this machine. @default false */
  readonly upload?: boolean | undefined
  /** Spend at most this much on all these logs together. @default no limit */
  readonly maxCost?: number | undefined
  /** How often a log is tried if its failure may pass. @default 3 */
  readonly attempts?: number | undefined
  /** Stops queueing. */
  readonly signal?: AbortSignal | undefined
}

/** The result of a log: it was queued, needs no job, or cannot be read. */
export type QueueLogResult = { readonly log: string } & (
  | { readonly queued: string }
  /** It is in the queue already, or on a machine. */
  | { readonly waiting: string }
  /** It failed before, with this error; `retryJobs` tries it again. */
  | { readonly failed: string; readonly reason: string }
  | { readonly known: DoneWork }
  | { readonly error: unknown }
)

/** Logs that are read at a time. */
const atATime = 8

/**
 * Queues logs for workers on any machine, each once for the same store and request, unless the store has it already.
 * Yields a result for each in the order of the logs; a log that cannot be read stops no other.
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

/** Reads logs at the same time, and queues them in their order. */
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
  // It may have been done before on the track of the request.
  const known = (await ledger.find(digest)) ?? (await ledger.find(workDigest(sha256, wanted)))
  if (known !== undefined) return { log, known }
  // Not only digits: BullMQ takes those for numbers of its own.
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
      // What is done is in the store; a job that failed stays until someone tries it again or removes it.
      removeOnComplete: true,
      stackTraceLimit: 0,
    },
  }
}
