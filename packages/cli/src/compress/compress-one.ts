import {
  type BundleStore,
  type CompressedBundle,
  type CompressedLog,
  type CompressLogOptions,
  type CompressOnceOptions,
  type ContextBundle,
  compressLog,
  compressOnce,
  emptySummary,
  type LogInput,
  type PriceTable,
  type Redactor,
  type Report,
  type SpendingLimits,
  type Summarizer,
  type SummarizerCall,
  tiktokenCounter,
} from '@tenfold/core'
import { type DoneWork, defaultPrices, type LogThreads, maxCostOf } from '@tenfold/core/internal'
import type { OpenLog } from '@tenfold/core/readers'
import type { CallEstimate } from '@tenfold/core/summarizer'
import { inputOf, type LogArgument } from '../logs/gather-logs.ts'
import { planOf } from '../options/plan-options.ts'
import { type Failure, failureOfLog } from '../terminal/failure.ts'
import type { CompressOptions } from './compress-options.ts'
import { type CompressedLogSummary, doneOf } from './log-summary.ts'

export interface LogOutcome {
  readonly log: string
  readonly done?: CompressedLogSummary
  readonly error?: Failure
  readonly known?: DoneWork
  readonly elsewhere?: true
  /** A log of this run with the same content. */
  readonly sameAs?: string
  readonly markdown?: string
  readonly estimates?: readonly ModelEstimate[]
  readonly interrupted?: true
  /** Not read, because the cause that failed another log would fail it as well. */
  readonly untried?: true
}

export interface CompressWork {
  readonly options: CompressOptions
  readonly store: BundleStore | undefined
  readonly summarizers: readonly Summarizer[]
  readonly redactors: readonly Redactor[]
  readonly limits: SpendingLimits
  readonly previous?: ContextBundle | undefined
  readonly given?: string | undefined
  /** Compress the log even if that was done before. */
  readonly again: boolean
  readonly lease?: CompressOnceOptions['lease']
  readonly signal: AbortSignal
  readonly report: Report
}

const interrupted: Failure = {
  code: 'interrupted',
  message: 'Interrupted before it was finished; nothing of it was saved.',
}

export async function compressOne(
  { log, failure, track }: LogArgument,
  given: CompressWork,
): Promise<LogOutcome> {
  const work = track === undefined ? given : { ...given, options: { ...given.options, track } }
  if (work.signal.aborted) return { log, error: interrupted, interrupted: true }
  if (failure !== undefined) return { log, error: failure }
  const calls: SummarizerCall[] = []
  const input = inputOf(log, work.signal)
  try {
    if (work.options.dryRun && asksModels(work.summarizers)) {
      const { prices = defaultPrices } = work.limits
      const { limits: _, onCall: __, summarizer: ___, ...options } = libraryOptions(log, work)
      return { log, estimates: await estimateLog(input, work.summarizers, prices, options) }
    }
    return { log, ...(await compress(log, input, work, (call) => calls.push(call))) }
  } catch (error) {
    return failedOutcome(log, error, calls, work)
  }
}

export function failedOutcome(
  log: string,
  error: unknown,
  calls: readonly SummarizerCall[],
  { signal, summarizers }: Pick<CompressWork, 'signal' | 'summarizers'>,
): LogOutcome {
  const paid = calls.length > 0 ? { calls } : {}
  if (signal.aborted) return { log, error: { ...interrupted, ...paid }, interrupted: true }
  return { log, error: { ...withAdvice(failureOfLog(log, error), summarizers), ...paid } }
}

/** Adds what to do if no model is available, unless the chain already ends offline. */
function withAdvice(failure: Failure, summarizers: readonly Summarizer[]): Failure {
  const offline = summarizers.some(({ name }) => name === 'extractive')
  if (!['summarizer-failed', 'missing-api-key'].includes(failure.code) || offline) return failure
  return {
    ...failure,
    message: `${failure.message}${/[.?!]$/.test(failure.message) ? '' : '.'} Add --fallback extractive to make the bundle without a model in that case.`,
  }
}

export function asksModels(summarizers: readonly Summarizer[]): boolean {
  return summarizers.some(({ estimate }) => estimate !== undefined)
}

export function libraryOptions(
  log: string,
  {
    options,
    summarizers,
    redactors,
    limits,
    previous,
    given,
    signal,
    report,
  }: Omit<CompressWork, 'store' | 'again'>,
): CompressLogOptions {
  return {
    ...planOf(options),
    ...options.reading,
    summarizer: summarizers,
    redactors,
    limits,
    track: options.track,
    task: options.task,
    archive: options.archive,
    dropUnverified: options.dropUnverified ?? false,
    counter: tiktokenCounter(options.counter),
    concurrency: options.modelConcurrency,
    timeoutMs: options.timeout,
    previous,
    given,
    signal,
    report,
    ...(log === '-' && { name: 'stdin' }),
  }
}

async function compress(
  log: string,
  input: LogInput,
  work: CompressWork,
  onCall: (call: SummarizerCall) => void,
): Promise<Pick<LogOutcome, 'done' | 'known' | 'markdown'>> {
  const started = performance.now()
  const { options, store, limits } = work
  const library = { ...libraryOptions(log, work), onCall }
  const result =
    store === undefined
      ? bundleOf(await compressLog(input, library))
      : await compressOnce(input, {
          ...library,
          store,
          again: work.again,
          lease: work.lease,
          keepSession: false,
        })
  if ('known' in result) return { known: result.known }
  const durationMs = Math.round(performance.now() - started)
  return { done: await doneOf({ ...result, durationMs }, options, limits) }
}

function bundleOf({ bundle, calls, notes, session }: CompressedLog): CompressedBundle {
  return { bundle, calls, notes, sessionNotes: session.notes }
}

export async function compressInThread(
  { log, failure, track }: LogArgument,
  threads: LogThreads,
  { options, limits, again, lease, report, ...work }: CompressWork,
): Promise<LogOutcome> {
  if (failure !== undefined && !work.signal.aborted) return { log, error: failure }
  const result = await threads.compress(log, { again, lease, report, limits, track })
  if ('error' in result) return failedOutcome(log, result.error, result.calls, work)
  if ('known' in result) return { log, known: result.known }
  return { log, done: await doneOf(result, options, limits) }
}

export interface ModelEstimate {
  readonly summarizer: string
  readonly model?: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Absent if the model has no price. */
  readonly cost?: number
}

/**
 * Estimates the requests for a log to each model of a chain, as if it alone were asked; sends none. What a model would
 * be asked to merge the answers to several parts is not known before they are there, and not included.
 */
async function estimateLog(
  input: LogInput | OpenLog,
  chain: readonly Summarizer[],
  prices: PriceTable,
  options: Omit<CompressLogOptions, 'summarizer' | 'store' | 'limits' | 'onCall'>,
): Promise<ModelEstimate[]> {
  const estimates: ModelEstimate[] = []
  for (const summarizer of chain) {
    if (summarizer.estimate === undefined) continue
    const calls: CallEstimate[] = []
    await compressLog(input, { ...options, summarizer: recording(summarizer, calls) })
    estimates.push(sumOf(summarizer, calls, prices))
  }
  return estimates
}

/** A summarizer that asks no model and only notes what it would have asked. */
function recording({ assertReady: _, ...summarizer }: Summarizer, calls: CallEstimate[]): Summarizer {
  return {
    ...summarizer,
    async summarize(request) {
      const call = summarizer.estimate?.(request)
      if (call !== undefined) calls.push(call)
      return { summary: emptySummary(), calls: [] }
    },
  }
}

function sumOf(
  { name, model }: Summarizer,
  calls: readonly CallEstimate[],
  prices: PriceTable,
): ModelEstimate {
  const costs = calls.map((call) => maxCostOf(call, prices))
  const known = costs.every((cost) => cost !== undefined)
  return {
    summarizer: name,
    ...(model !== undefined && { model }),
    requests: calls.length,
    inputTokens: calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: calls.reduce((sum, { maxOutputTokens }) => sum + maxOutputTokens, 0),
    ...(known && { cost: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0) }),
  }
}
