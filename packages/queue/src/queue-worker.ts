import { availableParallelism } from 'node:os'
import { bundleStore, type LogResult, type PriceTable, type ProgressEvent, TenfoldError } from '@tenfold/core'
import {
  defaultPrices,
  known,
  type LogThreads,
  type LogThreadsOptions,
  logThreads,
  messageOf,
} from '@tenfold/core/internal'
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import { type AllowList, assertAllowed } from './allowed.ts'
import { badJob, failureText, faultOf, type JobData, mayPass, parseJobData } from './job.ts'
import { meterCalls, type Rates } from './meter-calls.ts'
import { openQueue, prefix, type QueuePlace } from './open-queue.ts'
import type { QueuedOptions, QueueParts } from './queue-logs.ts'
import { runBudget } from './run-budget.ts'
import { fetchLog, removeUploads } from './uploads.ts'

/** An event about a log on this machine. The message of `error` has no secrets from the log. */
export type QueueEvent = { readonly log: string; readonly job: string } & (
  | { readonly event: 'progress'; readonly progress: ProgressEvent }
  | { readonly event: 'done'; readonly bundle: FinishedLog }
  | { readonly event: 'failed'; readonly error: unknown; readonly willRetry: boolean }
)

/** The bundle of a log. */
export interface FinishedLog {
  /** Id of the bundle. */
  readonly id: string
  /** Track of the bundle. */
  readonly track: string
  /** Tokens of the log. */
  readonly sourceTokens: number
  /** Tokens of the bundle. */
  readonly bundleTokens: number
  /** True if the store already had the bundle. */
  readonly known: boolean
  /** False if the session had nothing to remember, so that no bundle was stored. */
  readonly stored: boolean
  /** Cost of the model calls. Undefined if the price is unknown. */
  readonly cost?: number
}

/** Options of {@link queueWorker}. */
export interface QueueWorkerOptions
  extends QueuePlace,
    QueueParts,
    AllowList,
    Pick<LogThreadsOptions, 'concurrency' | 'modelConcurrency' | 'maxLogMs' | 'maxLogMegabytes'> {
  /** How many requests providers accept from all workers together. @default no limit */
  readonly rates?: Rates | undefined
  /** @default defaultPrices */
  readonly prices?: PriceTable | undefined
  /** End when the queue is empty. @default false */
  readonly untilEmpty?: boolean | undefined
  /** Milliseconds, roughly, after which another worker gets the job of a killed one. @default 30000 */
  readonly lockMs?: number | undefined
  /** Called with the events of each log. */
  readonly report?: ((event: QueueEvent) => void) | undefined
  /** Called with failures between jobs, such as a lost connection to Redis. */
  readonly onFault?: ((error: Error) => void) | undefined
  /** Stops at once: logs in progress go back into the queue. */
  readonly signal?: AbortSignal | undefined
}

/** A worker that takes logs from the queue until it is closed. */
export interface QueueWorker {
  /** Resolves when the worker has ended: after `close`, an abort, or with `untilEmpty` when nothing is left. */
  readonly ended: Promise<void>
  /** Takes no further logs, and resolves when those in progress are done. */
  close(): Promise<void>
}

/**
 * Compresses the logs of a queue, up to `concurrency` at a time, each in its own thread. Any number of workers may
 * share a queue: each log gets one bundle. Throws TenfoldError `redis-unreachable` or `redis-may-evict`.
 */
export async function queueWorker(options: QueueWorkerOptions): Promise<QueueWorker> {
  const {
    concurrency = availableParallelism(),
    lockMs = 30_000,
    signal,
    report,
    prices = defaultPrices,
  } = options
  const open = await openQueue(options)
  const storages = keptBy((place: string) => Promise.resolve(options.openStorage(place)))
  const requests = keptBy(async (request: string) => {
    try {
      return await options.optionsOf(JSON.parse(request))
    } catch (cause) {
      if (TenfoldError.isInstance(cause)) throw cause
      throw badJob(`The job's request is invalid: ${faultOf(cause)}`, cause)
    }
  })
  const outside = signal === undefined ? [] : [signal]
  let threads: Promise<LogThreads> | undefined

  /** A log's options are used only to start the threads. */
  function startThreads(made: QueuedOptions): Promise<LogThreads> {
    const { modelConcurrency, maxLogMs = longestLogMs, maxLogMegabytes } = options
    return logThreads({ ...made, ...known({ modelConcurrency, maxLogMs, maxLogMegabytes }), concurrency })
  }

  /** Invalid options of one log must not fail the next logs. */
  async function startedThreads(made: QueuedOptions): Promise<LogThreads> {
    for (;;) {
      const isOwn = threads === undefined
      threads ??= startThreads(made)
      const started = threads
      try {
        return await started
      } catch (error) {
        if (threads === started) threads = undefined
        if (isOwn) throw error
      }
    }
  }

  async function compress(id: string, data: JobData, taken: AbortSignal): Promise<FinishedLog> {
    const { store: place, log, request, track, run } = data
    const budget = runBudget(open, run)
    await budget.giveUp(id)
    assertAllowed(data, options)
    const storage = await storages(place)
    const made = await requests(JSON.stringify(request))
    const meter = meterCalls({ open, budget, job: id, prices, rates: options.rates ?? {} })
    const { path, remove } = await fetchLog(log, storage, made.maxLogBytes)
    try {
      const result = await (await startedThreads(made)).compress(path, {
        exclusive: true,
        lease: { leaseMs: lockMs },
        report: (progress) => report?.({ event: 'progress', log: log.name, job: id, progress }),
        options: {
          ...made,
          ...(track !== undefined && { track }),
          summarizer: [made.summarizer].flat().map(meter.wrap),
          store: bundleStore(storage),
          signal: taken,
        },
      })
      await meter.end()
      if ('error' in result) throw result.error
      const finished = finishedLog(result)
      await budget.done(id, finished)
      return finished
    } finally {
      await remove()
    }
  }

  const underWay = new Map<string, AbortController>()

  async function process(job: Job<JobData>, token?: string): Promise<unknown> {
    const id = job.id ?? ''
    const name = nameOf(job)
    const lost = new AbortController()
    underWay.set(id, lost)
    try {
      const data = parseJobData(job.data)
      const bundle = await compress(id, data, AbortSignal.any([lost.signal, ...outside]))
      const { store, log } = data
      await removeUploads(log, await storages(store))
      report?.({ event: 'done', log: name, job: id, bundle })
      return bundle
    } catch (thrown) {
      const error = isWrongCall(thrown)
        ? badJob(`The job's options are invalid: ${messageOf(thrown)}`, thrown)
        : thrown
      if (signal?.aborted) {
        await job.moveToWait(token)
        throw new WaitingError()
      }
      const willRetry =
        lost.signal.aborted || (mayPass(error) && job.attemptsMade + 1 < (job.opts.attempts ?? 1))
      report?.({ event: 'failed', log: name, job: id, error, willRetry })
      const text = failureText(error)
      throw willRetry ? new Error(text, { cause: error }) : new UnrecoverableError(text)
    } finally {
      underWay.delete(id)
    }
  }

  const worker = new Worker(open.name, process, {
    connection: open.redis,
    prefix,
    concurrency,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    // A log that kills its worker must not be retried forever.
    maxStalledCount: 5,
    // Milliseconds until work continues after Redis is back.
    runRetryDelay: 1000,
  })
  worker.on('error', (error) => options.onFault?.(error))
  // Another worker has the job now, so further calls of this one would be paid twice.
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) underWay.get(id)?.abort(new Error('another worker has this job'))
  })

  const look = options.untilEmpty === true ? setInterval(() => void endIfEmpty(), emptyMs) : undefined
  async function endIfEmpty(): Promise<void> {
    const counts = await open.queue.getJobCounts('wait', 'active', 'delayed', 'prioritized')
    if (Object.values(counts).every((count) => count === 0)) await close()
  }

  let closing: Promise<void> | undefined
  const close = () => (closing ??= end())
  const ended = new Promise<void>((resolve) => worker.once('closed', resolve)).then(() => closing)
  async function end(): Promise<void> {
    clearInterval(look)
    signal?.removeEventListener('abort', close)
    await worker.close()
    await (await threads)?.close()
    await open.close()
  }
  signal?.addEventListener('abort', close, { once: true })
  if (signal?.aborted) await close()
  return { ended, close }
}

const emptyMs = 500

/** A log or a pattern from Redis must not occupy a worker forever. */
const longestLogMs = 60 * 60_000

/** Whether the library rejected an option that came with the job. */
function isWrongCall(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof TypeError && error.message.startsWith('expected '))
}

/** The name of a job's log. The job may be from another version. */
function nameOf({ id, data }: Job<unknown>): string {
  const { log } = (typeof data === 'object' && data !== null ? data : {}) as {
    log?: { name?: unknown } | null
  }
  return typeof log?.name === 'string' ? log.name : `job ${id}`
}

function finishedLog(result: Exclude<LogResult, { readonly error: unknown }>): FinishedLog {
  const known = 'known' in result
  const { id, track } = known ? result.known : result.bundle
  const { sourceTokens, bundleTokens, cost } = known ? result.known : result.bundle.compression
  const stored = known || result.stored !== undefined
  const spent = cost === undefined ? {} : { cost: cost.amount }
  return { id, track, sourceTokens, bundleTokens, known, stored, ...spent }
}

/** Caches a function's results for the last few texts, since jobs of one call have the same store and request. */
function keptBy<T>(make: (text: string) => Promise<T>): (text: string) => Promise<T> {
  const kept = new Map<string, Promise<T>>()
  return (text) => {
    const found = kept.get(text) ?? make(text)
    // Failures are not cached.
    found.catch(() => kept.delete(text))
    kept.set(text, found)
    if (kept.size > mostKept) kept.delete(kept.keys().next().value ?? '')
    return found
  }
}

const mostKept = 16
