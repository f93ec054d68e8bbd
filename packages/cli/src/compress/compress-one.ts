import { writeFile } from 'node:fs/promises'
import {
  type BundleStore,
  bundleToMarkdown,
  type ContextBundle,
  cleanLine,
  cleanText,
  compressLog,
  defaultPrices,
  type Note,
  type PriceTable,
  type Redactor,
  type Report,
  type Session,
  type SpendingLimits,
  type Summarizer,
  type SummarizerCall,
  TenfoldError,
  tiktokenCounter,
} from '@tenfold/core'
import type { LogArgument } from '../logs/gather-logs.ts'
import { inputOf } from '../logs/read-log.ts'
import { storedPath } from '../store/stored-path.ts'
import { type Failure, failureOfLog } from '../terminal/failure.ts'
import { inCommandWords } from '../terminal/option-words.ts'
import { messageOf } from '../terminal/thrown.ts'
import type { CompressOptions } from './compress-options.ts'

/** The printed result of a compressed log; small, unlike the bundle. */
export interface CompressedLogSummary {
  readonly format: string
  readonly sessionId: string
  readonly title?: string
  readonly bundle: { readonly id: string; readonly key: string | null }
  readonly track: string
  readonly tokens: {
    readonly counter: string
    readonly source: number
    readonly bundle: number
    readonly ratio: number
  }
  readonly band: ContextBundle['compression']['band']
  readonly events: number
  /** All notes of the log, including those that did not fit in the bundle, then those of the bundle. */
  readonly notes: ContextBundle['notes']
  readonly durationMs: number
  readonly compression: ContextBundle['compression']
  /** Every call of a model; the bundle may hold only the totals. */
  readonly calls: readonly SummarizerCall[]
  /** The prices that the calls were billed by. */
  readonly prices: PriceTable
  readonly redacted: number
  readonly counts: {
    readonly files: number
    readonly decisions: number
    readonly nextSteps: number
    readonly openErrors: number
  }
  readonly state?: NonNullable<ContextBundle['state']>
  readonly nextStep?: string
  /** The requested limits. */
  readonly ratios: { readonly min: number; readonly max: number }
  /** The file of the bundle in the store; absent if nothing was written. */
  readonly path?: string
  readonly out?: string
  readonly warning?: string
  /** For stdout. */
  readonly markdown?: string
}

/** The outcome of one log. */
export interface LogOutcome {
  readonly log: string
  readonly done?: CompressedLogSummary
  readonly error?: Failure
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
  readonly previous?: ContextBundle
  readonly signal: AbortSignal
  readonly report: Report
}

const interrupted: Failure = {
  code: 'interrupted',
  message: 'Interrupted before it was finished; nothing of it was saved.',
}

/** Compresses one log. Never rejects: a failure is part of the outcome. */
export async function compressOne({ log, failure }: LogArgument, work: CompressWork): Promise<LogOutcome> {
  if (work.signal.aborted) return { log, error: interrupted, interrupted: true }
  if (failure !== undefined) return { log, error: failure }
  const calls: SummarizerCall[] = []
  const paid = () => (calls.length > 0 ? { calls } : {})
  try {
    return { log, done: await compress(log, work, (call) => calls.push(call)) }
  } catch (error) {
    if (work.signal.aborted) return { log, error: { ...interrupted, ...paid() }, interrupted: true }
    return { log, error: { ...withAdvice(failureOfLog(log, error), work.summarizers), ...paid() } }
  }
}

/** Adds what to do if no model is available, unless the chain already ends offline. */
function withAdvice(failure: Failure, summarizers: readonly Summarizer[]): Failure {
  const offline = summarizers.some(({ name }) => name === 'extractive')
  if (failure.code !== 'summarizer-failed' || offline) return failure
  return {
    ...failure,
    message: `${failure.message}${/[.?!]$/.test(failure.message) ? '' : '.'} Add --fallback extractive to make the bundle without a model in that case.`,
  }
}

async function compress(
  log: string,
  { options, store, summarizers, redactors, limits, previous, signal, report }: CompressWork,
  onCall: (call: SummarizerCall) => void,
): Promise<CompressedLogSummary> {
  const started = performance.now()
  const {
    kind,
    track,
    task,
    format,
    readers,
    maxLogSize,
    maxRatio,
    minRatio,
    maxTokens,
    minSourceTokens,
    archive,
    counter,
    out,
  } = options
  const { bundle, session, stored, calls, notes } = await compressLog(inputOf(log, signal), {
    summarizer: summarizers,
    redactors,
    limits,
    concurrency: options.modelConcurrency,
    ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
    dropUnverified: options.dropUnverified ?? false,
    counter: tiktokenCounter(counter),
    kind,
    track,
    maxRatio,
    minRatio,
    minSourceTokens,
    archive,
    signal,
    report,
    onCall,
    ...(previous !== undefined && { previous }),
    ...(log === '-' && { name: 'stdin' }),
    ...(store !== undefined && { store }),
    ...(task !== undefined && { task }),
    ...(format !== undefined && { format }),
    ...(readers !== undefined && { readers }),
    ...(maxLogSize !== undefined && { maxLogBytes: maxLogSize }),
    ...(maxTokens !== undefined && { maxTokens }),
  })
  const markdown = out === undefined ? '' : bundleToMarkdown(bundle)
  if (out !== undefined && out !== '-') await writeOut(out, markdown, stored?.id)
  return {
    ...summaryOf(bundle),
    calls,
    prices: limits.prices ?? defaultPrices,
    notes: allNotes(session, notes, bundle),
    redacted: session.notes.find(({ code }) => code === 'redacted')?.count ?? 0,
    bundle: { id: bundle.id, key: stored?.key ?? null },
    durationMs: Math.round(performance.now() - started),
    ratios: { min: minRatio, max: maxRatio },
    ...(stored !== undefined && { path: storedPath(options.store, stored.markdownKey) }),
    ...(stored?.warning !== undefined && { warning: cleanText(stored.warning) }),
    ...(out === '-' && { markdown }),
    ...(out !== undefined && out !== '-' && { out }),
  }
}

async function writeOut(path: string, markdown: string, saved: string | undefined): Promise<void> {
  try {
    await writeFile(path, markdown)
  } catch (cause) {
    const reason = messageOf(cause)
    const kept = saved === undefined ? '' : `; bundle ${saved} was still saved in the store`
    throw new TenfoldError('out-failed', `The Markdown cannot be written: ${reason}${kept}.`, { cause })
  }
}

function summaryOf({
  source,
  compression,
  track,
  state,
  files,
  decisions,
  nextSteps,
  errors,
}: ContextBundle) {
  const { counter, sourceTokens, bundleTokens, ratio, band } = compression
  return {
    format: source.format,
    sessionId: source.sessionId,
    ...(source.title !== undefined && { title: source.title }),
    track,
    tokens: { counter, source: sourceTokens, bundle: bundleTokens, ratio },
    compression,
    band,
    events: source.events,
    counts: {
      files: files.length,
      decisions: decisions.length,
      nextSteps: nextSteps.length,
      openErrors: errors.filter((error) => error.resolution === undefined).length,
    },
    ...(state !== undefined && { state }),
    ...(nextSteps[0] !== undefined && { nextStep: nextSteps[0].action }),
  }
}

function allNotes(
  session: Session,
  ofSummarizers: readonly Note[],
  bundle: ContextBundle,
): ContextBundle['notes'] {
  const whole = [
    ...session.notes,
    ...ofSummarizers.map((note) => ({ ...note, message: inCommandWords(note.message) })),
  ].map(({ file, ...note }) => ({
    ...note,
    message: cleanLine(note.message),
    ...(file !== undefined && { file: cleanLine(file) }),
  }))
  const isWhole = (note: ContextBundle['notes'][number]): boolean =>
    whole.some(({ code, line }) => code === note.code && line === note.line)
  return [...whole, ...bundle.notes.filter((note) => !isWhole(note))]
}
