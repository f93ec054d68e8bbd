import {
  type BundleStore,
  bundleToMarkdown,
  type CompressedInThread,
  type CompressLogOptions,
  type ContextBundle,
  compressLog,
  compressOnce,
  emptySummary,
  type LogInput,
  type Note,
  type Report,
  type SpendingLimits,
  type Summarizer,
  type SummarizerCall,
  tiktokenCounter,
} from '@tenfold/core'
import {
  cleanLine,
  cleanText,
  type DoneWork,
  defaultPrices,
  type LogThreads,
  maxCostOf,
} from '@tenfold/core/internal'
import { inputOf, type LogArgument } from '../logs/gather-logs.ts'
import { minRatioOf, planOf } from '../options/log-options.ts'
import { storedPath } from '../store/open-store.ts'
import { type Failure, failureOfLog, inCommandWords } from '../terminal/failure.ts'
import { writeOutput } from '../terminal/user-files.ts'
import type { CompressOptions } from './compress-options.ts'

export interface LogOutcome {
  readonly log: string
  readonly done?: CompressedLogSummary
  readonly error?: Failure
  readonly known?: DoneWork
  readonly elsewhere?: true
  readonly sameAs?: string
  readonly markdown?: string
  readonly estimates?: readonly ModelEstimate[]
  readonly interrupted?: true
  /** The log was not read, because the cause of another log's failure affects it too. */
  readonly untried?: true
}

interface LogWork {
  readonly options: CompressOptions
  readonly library: LibraryOptions
  /** Undefined in a dry run. */
  readonly store: BundleStore | undefined
  readonly again: boolean
  readonly report: Report
  note(text: string): void
}

export type LibraryOptions = CompressLogOptions & {
  readonly summarizer: readonly Summarizer[]
  readonly limits: SpendingLimits
  readonly signal: AbortSignal
}

type LibraryParts = Pick<LibraryOptions, 'summarizer' | 'redactors' | 'limits' | 'previous' | 'signal'>

export function libraryOptions(options: CompressOptions, parts: LibraryParts): LibraryOptions {
  const { reading, track, task, archive, dropUnverified = false, modelConcurrency, timeout } = options
  return {
    ...{ ...planOf(options), ...reading, ...parts, track, task, archive, dropUnverified },
    counter: tiktokenCounter(),
    concurrency: modelConcurrency,
    timeoutMs: timeout,
  }
}

const interrupted: Failure = {
  code: 'interrupted',
  message: 'Interrupted before the log was finished; nothing was saved.',
}

/** Runs in a thread if there are any. */
export async function compressOne(
  { log, failure, track }: LogArgument,
  work: LogWork,
  threads?: LogThreads,
): Promise<LogOutcome> {
  const { options, store, again, report } = work
  const { limits, signal } = work.library
  if (signal.aborted) return { log, error: interrupted, interrupted: true }
  if (failure !== undefined) return { log, error: failure }
  const calls: SummarizerCall[] = []
  const name = log === '-' ? 'stdin' : cleanLine(log)
  const lease = {
    onWait({ pid }: { readonly pid?: number }) {
      const other = pid === undefined ? 'another run' : `another run (process ${pid})`
      work.note(`${name}: ${other} is compressing it; waiting for its bundle`)
    },
  }
  const library = {
    ...work.library,
    ...(track !== undefined && { track }),
    ...(log === '-' && { name: 'stdin' }),
    report,
    onCall: (call: SummarizerCall) => void calls.push(call),
  }
  const started = performance.now()
  try {
    if (threads !== undefined) {
      const result = await threads.compress(log, { again, lease, exclusive: true, report, limits, track })
      if ('error' in result) return failedOutcome(log, result.error, result.calls, library)
      if ('known' in result) return { log, known: result.known }
      return { log, done: await doneOf(result, options, limits) }
    }
    const input = inputOf(log, signal)
    if (options.dryRun && asksModels(library.summarizer))
      return { log, estimates: await estimateLog(input, library) }
    const result =
      store === undefined
        ? await compressLog(input, library)
        : await compressOnce(input, { ...library, store, again, lease, exclusive: true, keepSession: false })
    if ('known' in result) return { log, known: result.known }
    const durationMs = Math.round(performance.now() - started)
    const sessionNotes = 'sessionNotes' in result ? result.sessionNotes : result.session.notes
    return { log, done: await doneOf({ ...result, sessionNotes, durationMs }, options, limits) }
  } catch (error) {
    return failedOutcome(log, error, calls, library)
  }
}

function failedOutcome(
  log: string,
  error: unknown,
  calls: readonly SummarizerCall[],
  { signal, summarizer }: LibraryOptions,
): LogOutcome {
  const paid = calls.length > 0 ? { calls } : {}
  if (signal.aborted) return { log, error: { ...interrupted, ...paid }, interrupted: true }
  return { log, error: { ...withAdvice(failureOfLog(log, error), summarizer), ...paid } }
}

/** Adds what to do if no model is available, unless the chain already ends offline. */
function withAdvice(failure: Failure, summarizers: readonly Summarizer[]): Failure {
  const offline = summarizers.some(({ name }) => name === 'extractive')
  if (!['summarizer-failed', 'missing-api-key'].includes(failure.code) || offline) return failure
  const advice = 'Add --fallback extractive to make the bundle without a model in that case.'
  return { ...failure, message: `${failure.message.replace(/(?<![.?!])$/, '.')} ${advice}` }
}

export function asksModels(summarizers: readonly Summarizer[]): boolean {
  return summarizers.some(({ estimate }) => estimate !== undefined)
}

export interface ModelEstimate {
  readonly summarizer: string
  readonly model?: string | undefined
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Undefined if the model has no price. */
  readonly cost?: number | undefined
}

/** Estimates each model of a chain as if it were the only one. Leaves out merging the answers to several parts. */
async function estimateLog(input: LogInput, library: LibraryOptions): Promise<ModelEstimate[]> {
  const { limits, onCall: _, summarizer: chain, ...options } = library
  const { prices = defaultPrices } = limits
  const estimates: ModelEstimate[] = []
  for (const { assertReady: __, ...summarizer } of chain) {
    const { name, model, estimate } = summarizer
    if (estimate === undefined) continue
    // Records the request instead of sending it.
    const summarize: Summarizer['summarize'] = async (request) => {
      const call = estimate(request)
      const { inputTokens, maxOutputTokens: outputTokens } = call
      const cost = maxCostOf(call, prices)
      estimates.push({ summarizer: name, model, requests: 1, inputTokens, outputTokens, cost })
      return { summary: emptySummary(), calls: [] }
    }
    await compressLog(input, { ...options, summarizer: { ...summarizer, summarize } })
  }
  return addEstimates(estimates)
}

export function addEstimates(estimates: readonly ModelEstimate[]): ModelEstimate[] {
  const models = new Map<string, ModelEstimate>()
  for (const each of estimates) {
    const name = `${each.summarizer} ${each.model}`
    const { requests = 0, inputTokens = 0, outputTokens = 0, cost = 0 } = models.get(name) ?? {}
    models.set(name, {
      ...each,
      requests: requests + each.requests,
      inputTokens: inputTokens + each.inputTokens,
      outputTokens: outputTokens + each.outputTokens,
      // Either all requests to a model have a price or none has.
      ...(each.cost !== undefined && { cost: cost + each.cost }),
    })
  }
  return [...models.values()]
}

export type CompressedLogSummary = Awaited<ReturnType<typeof doneOf>>

async function doneOf(
  { bundle, stored, calls, notes, sessionNotes, durationMs }: CompressedInThread,
  options: CompressOptions,
  { prices = defaultPrices }: SpendingLimits,
) {
  const { store, output, maxRatio } = options
  if (output !== undefined && output !== '-') await writeOut(output, bundle, stored?.id)
  const { source, compression, track, state, files, decisions, nextSteps, errors } = bundle
  const { counter, sourceTokens, bundleTokens, ratio, band } = compression
  return {
    ...{ track, state, compression, band, calls, prices, durationMs },
    ...{ format: source.format, sessionId: source.sessionId, title: source.title, events: source.events },
    tokens: { counter, source: sourceTokens, bundle: bundleTokens, ratio },
    counts: {
      files: files.length,
      decisions: decisions.length,
      nextSteps: nextSteps.length,
      openErrors: errors.filter((error) => error.resolution === undefined).length,
    },
    nextStep: nextSteps[0]?.action,
    // First all notes of the log, even if they did not fit in the bundle, then the bundle's own.
    notes: allNotes(sessionNotes, notes, bundle),
    redacted: sessionNotes.find(({ code }) => code === 'redacted')?.count ?? 0,
    bundle: { id: bundle.id, key: stored?.key ?? null },
    ratios: { min: minRatioOf(options), max: maxRatio },
    // Undefined if nothing was written.
    path: stored && storedPath(store, stored.markdownKey),
    warning: stored?.warning && cleanText(stored.warning),
    markdown: output === '-' ? bundleToMarkdown(bundle) : undefined,
    out: output === '-' ? undefined : output,
  }
}

function allNotes(ofSession: readonly Note[], ofSummarizers: readonly Note[], bundle: ContextBundle) {
  const inWords = ofSummarizers.map((note) => ({ ...note, message: inCommandWords(note.message) }))
  const whole = [...ofSession, ...inWords].map(({ file, ...note }) => ({
    ...note,
    message: cleanLine(note.message),
    ...(file !== undefined && { file: cleanLine(file) }),
  }))
  const rest = bundle.notes.filter(
    (note) => !whole.some(({ code, line }) => code === note.code && line === note.line),
  )
  return [...whole, ...rest]
}

/** Writes JSON if the name ends in .json, otherwise Markdown. The error says whether the bundle was saved. */
export async function writeOut(path: string, bundle: ContextBundle, saved: string | undefined) {
  const isJson = /\.json$/i.test(path)
  const text = isJson ? `${JSON.stringify(bundle, null, 2)}\n` : bundleToMarkdown(bundle)
  const after = saved === undefined ? '' : `; bundle ${saved} was still saved in the store`
  await writeOutput(path, [text], { what: 'The bundle', after, inFolder: true })
}
