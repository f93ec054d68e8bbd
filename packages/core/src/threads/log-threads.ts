import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import PQueue from 'p-queue'
import { type CompressLogOptions, checkCompressOptions } from '../compress-log.ts'
import type { CompressOnceOptions } from '../compress-once.ts'
import { TenfoldError } from '../errors.ts'
import type { DoneWork } from '../ledger/ledger.ts'
import { workDigest } from '../ledger/work-digest.ts'
import { type HeldLease, isHeld, mayBill, underLease, withWorkLease } from '../ledger/work-lease.ts'
import { aBoolean, type Checks, checkOptions, positive, wholeNumber } from '../options/check.ts'
import { openLog } from '../readers/open-log.ts'
import { digestLog } from '../readers/read-session.ts'
import { known } from '../session/known.ts'
import type { ProgressEvent, Report } from '../session/report-to-log.ts'
import { assertReady } from '../summarize/chain.ts'
import { trackSpending } from '../summarize/cost/spending.ts'
import type { Summarizer, SummarizerCall } from '../summarize/summarizer.ts'
import {
  type BatchLog,
  type CompressedInThread,
  type LogTask,
  type LogTaskResult,
  nameOf,
  type ThreadLogOptions,
  taskOf,
} from './log-task.ts'
import { connectPort, storageHandlers, summarizerHandlers } from './port-calls.ts'
import {
  type ErrorWire,
  errorFromWire,
  failureOfThread,
  missingThreadFile,
  tooSlow,
} from './thread-errors.ts'
import { endOfHeap } from './watch-memory.ts'

export interface LogThreadsOptions extends ThreadLogOptions {
  /** Number of logs at a time, each in its own thread. @default the number of cores */
  readonly concurrency?: number | undefined
  /** Number of model requests at a time, over all logs. @default 4 */
  readonly modelConcurrency?: number | undefined
  /** Maximum milliseconds for one log. @default no limit */
  readonly maxLogMs?: number | undefined
  /** Maximum megabytes of JavaScript objects for one log. @default Node's limit */
  readonly maxLogMegabytes?: number | undefined
  /** Return the session of each log with its secrets replaced, such as for `measureBundle`. @default false */
  readonly keepSession?: boolean | undefined
}

/** A log that failed, with all calls made for it, which may have been billed. */
export interface FailedInThread {
  /** The error that was thrown in the thread. */
  readonly error: unknown
  /** All calls of models before the failure, which may have been billed. */
  readonly calls: readonly SummarizerCall[]
}

/** The result of one log. */
export type LogResult = CompressedInThread | { readonly known: DoneWork } | FailedInThread

interface CompressInThreadOptions {
  readonly again?: boolean | undefined
  /** Save only one bundle even if other machines compress the same log at the same time. */
  readonly exclusive?: boolean | undefined
  /** See {@link CompressOnceOptions}. */
  readonly lease?: CompressOnceOptions['lease']
  readonly report?: Report | undefined
  readonly limits?: CompressLogOptions['limits']
  readonly options?: ThreadLogOptions | undefined
  readonly track?: string | undefined
}

export interface LogThreads {
  /**
   * Compresses a log in the next free thread; with a store, only if the store lacks it or `again` is set. Never
   * rejects: a failure, an abort and a reached limit are results.
   */
  compress(log: BatchLog, options?: CompressInThreadOptions): Promise<LogResult>
  /** Ends the threads; logs in progress fail. */
  close(): Promise<void>
}

/**
 * Starts threads that read, redact, compute, count and fit. Calls of models and all accesses to the store are made by
 * this thread, so that a log can be given up at any moment. Readers, redactors and counters need a recipe.
 */
export async function logThreads(options: LogThreadsOptions): Promise<LogThreads> {
  const {
    concurrency = availableParallelism(),
    modelConcurrency = 4,
    maxLogMs,
    maxLogMegabytes,
    keepSession = false,
  } = options
  checkOptions(options, ownChecks)
  const common = checkedTask(options, modelConcurrency)
  // Undefined if a bundler made CommonJS.
  const file = import.meta.url ? new URL('log-worker.js', import.meta.url) : undefined
  // A thread that fails to start while its pool is closed would end the process.
  if (file === undefined || !existsSync(file)) {
    const error = missingThreadFile()
    return { compress: async () => ({ error, calls: [] }), close: async () => {} }
  }
  // Imported here, because few programs compress many logs.
  const { Tinypool } = await import('tinypool')
  const pool = new Tinypool({
    filename: file.href,
    // With fewer threads kept, a waiting log would get none after another log was given up.
    minThreads: concurrency,
    maxThreads: concurrency,
    // Deno never wakes a thread that waits by Atomics for its next log; a log takes far longer than a message.
    useAtomics: false,
    ...(maxLogMegabytes !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: endOfHeap(maxLogMegabytes) },
    }),
  })
  const queue = new PQueue({ concurrency: modelConcurrency })
  const closed = new AbortController()
  // A thread that ends without a log could not be started, and neither could the next one.
  pool.on('error', (error: unknown) => closed.abort(failureOfThread(error)))

  async function compressHeld(
    log: BatchLog,
    { again = false, exclusive = false, report, track: ownTrack, ...given }: CompressInThreadOptions,
    { summarizers, store, task }: CheckedTask,
    held?: HeldLease,
  ): Promise<LogResult> {
    const limits = given.limits ?? (given.options ?? options).limits
    const { port1: port, port2 } = new MessageChannel()
    const own = new AbortController()
    const outside = [options.signal, given.options?.signal, held?.signal].filter(
      (signal) => signal !== undefined,
    )
    const signal = AbortSignal.any([own.signal, closed.signal, ...outside])
    const spending = trackSpending(limits)
    const calls: SummarizerCall[] = []
    const asked: Promise<void>[] = []
    let timer: NodeJS.Timeout | undefined
    const thread = connectPort(
      port,
      {
        ...(store && storageHandlers(store.storage)),
        ...summarizerHandlers(
          held === undefined ? summarizers : underLease(summarizers, held),
          signal,
          (summarizer, request, control) => {
            const ask = () =>
              summarizer.summarize(request, {
                signal: control.signal,
                admit: spending.admit,
                onCall(call) {
                  spending.record(call)
                  calls.push(call)
                  control.onCall?.(call)
                },
              })
            const answer = queue.add(ask, { signal: control.signal })
            const end = () => undefined
            asked.push(answer.then(end, end))
            return answer
          },
          (request, call) => thread.send('called', request, call),
        ),
        started() {
          if (maxLogMs !== undefined)
            timer = setTimeout(() => own.abort(tooSlow(nameOf(log), maxLogMs)), maxLogMs)
        },
        report: (event: ProgressEvent) => report?.(event),
        fault: (error: ErrorWire) => own.abort(errorFromWire(error)),
      },
      (error) => own.abort(error),
    )
    try {
      signal.throwIfAborted()
      const message: LogTask = {
        ...task,
        log,
        keepSession,
        again,
        exclusive,
        maxMegabytes: maxLogMegabytes,
        port: port2,
        options: { ...task.options, ...known({ limits, track: ownTrack ?? task.options.track }) },
      }
      const result: LogTaskResult = await pool.run(message, { transferList: [port2], signal })
      return 'error' in result ? { error: errorFromWire(result.error), calls } : result
    } catch (error) {
      // Pending requests to a model or the store get a moment to report their cost.
      await Promise.race([Promise.all(asked), sleep(graceMs, undefined, { ref: false })])
      return { error: signal.aborted ? signal.reason : failureOfThread(error, nameOf(log)), calls }
    } finally {
      clearTimeout(timer)
      port.close()
    }
  }

  // Logs that wait for other runs keep their place here, so that leases are held only for logs in progress.
  const places = new PQueue({ concurrency })

  async function compress(log: BatchLog, given: CompressInThreadOptions = {}): Promise<LogResult> {
    const checked = given.options === undefined ? common : checkedTask(given.options, modelConcurrency)
    const { store, summarizers } = checked
    const unready = await assertReady(summarizers).catch((error: unknown) => ({ error, calls: [] }))
    if (unready !== undefined) return unready
    const { lease } = given
    if (isHeld(lease)) return await compressHeld(log, given, checked, lease)
    if (store === undefined || given.again || !summarizers.some(mayBill))
      return await compressHeld(log, given, checked)
    const own = { ...(given.options ?? options), ...known({ track: given.track }) }
    const signals = [closed.signal, options.signal, own.signal].filter((signal) => signal !== undefined)
    const signal = AbortSignal.any(signals)
    return await places.add(async () => {
      try {
        const digest = await digestOf(log, { ...own, signal })
        return await withWorkLease(store, digest, { ...lease, signal }, async (held) => {
          const result = await compressHeld(log, given, checked, held)
          if ('error' in result) held.signal.throwIfAborted()
          return result
        })
      } catch (error) {
        return { error, calls: [] }
      }
    })
  }

  return {
    compress,
    async close() {
      closed.abort(new TenfoldError('closed', 'the threads were closed'))
      await pool.destroy()
    },
  }
}

const graceMs = 50

const ownChecks: Checks<
  Pick<LogThreadsOptions, 'concurrency' | 'modelConcurrency' | 'maxLogMs' | 'maxLogMegabytes' | 'keepSession'>
> = {
  concurrency: wholeNumber(1),
  modelConcurrency: wholeNumber(1),
  maxLogMs: positive,
  maxLogMegabytes: positive,
  keepSession: aBoolean,
}

type CheckedTask = ReturnType<typeof checkedTask>

/** Returns the digest of the work on a log, as the thread will compute it. */
async function digestOf(log: BatchLog, options: ThreadLogOptions): Promise<string> {
  const { format, readers, maxLogBytes, signal } = options
  const open = await openLog(log, { format, readers, maxLogBytes })
  const sha256 = await digestLog(open, { format, readers, signal })
  return workDigest(sha256, { ...options, session: open.sessionId })
}

/** Returns the common part of the tasks for logs with the same options, and what this thread keeps. */
function checkedTask(options: ThreadLogOptions, requests: number) {
  checkCompressOptions({ ...options, concurrency: requests })
  const summarizers: readonly Summarizer[] = [options.summarizer].flat()
  return { summarizers, store: options.store, task: taskOf(options, summarizers, requests) }
}
