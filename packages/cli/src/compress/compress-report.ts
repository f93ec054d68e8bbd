import type { CompressedLog, PriceTable } from '@tenfold/core'
import {
  bundleKey,
  bundleMarkdownKey,
  cleanLine,
  costOf,
  type DoneWork,
  defaultPrices,
  usageIsPartial,
} from '@tenfold/core/internal'
import { storedPath } from '../store/open-store.ts'
import { formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { fitCell, wrapText } from '../terminal/table.ts'
import type { Screen, Style } from '../terminal/terminal.ts'
import type { LogOutcome, ModelEstimate } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import type { CompressedLogSummary } from './log-summary.ts'

export function outcomeJson(outcome: LogOutcome): Record<string, unknown> {
  const { log, done, error, known, elsewhere, sameAs, estimates } = outcome
  if (known !== undefined) return { log, known: true, ...(elsewhere && { elsewhere }), ...knownJson(known) }
  if (sameAs !== undefined) return { log, sameAs }
  if (estimates !== undefined) return { log, dryRun: true, estimates }
  if (done === undefined) return { log, error }
  const { format, sessionId, bundle, state, tokens, band, events, redacted, notes, durationMs } = done
  const { summarizer, model, promptVersion, readTokens, unverified, usage, cost, fallback } = done.compression
  const { calls } = done
  // The bundle of a session that left nothing to remember is not stored either.
  const dryRun = bundle.key === null && notes.every(({ code }) => code !== 'trivial-session')
  return {
    log,
    format,
    sessionId,
    bundle,
    state,
    tokens,
    band,
    events,
    redacted,
    summary: { summarizer, model, promptVersion, readTokens, unverified, calls, usage, cost, fallback },
    notes,
    durationMs,
    ...(dryRun && { dryRun }),
  }
}

function knownJson(known: DoneWork): Record<string, unknown> {
  const { id, track, format, sessionId, sourceTokens: source, bundleTokens: bundle, cost } = known
  const ratio = source === 0 ? 0 : bundle / source
  return {
    format,
    sessionId,
    bundle: known.stored === false ? null : { id, key: bundleKey(id) },
    track,
    tokens: { source, bundle, ratio },
    cost,
  }
}

export function knownLines(
  { log, elsewhere }: LogOutcome,
  { id, track, sourceTokens, bundleTokens, stored }: DoneWork,
  { store }: Pick<CompressOptions, 'store'>,
  { style, columns }: Screen,
): string[] {
  const name = style.bold(log === '-' ? 'stdin' : cleanLine(log))
  const before = elsewhere ? 'done by another run meanwhile' : 'done before'
  if (stored === false)
    return [name, `  ${before}: the session left nothing to remember; --again compresses it again`]
  return [
    name,
    ...wrapText(
      `${before}: ${formatCount(sourceTokens)} → ${formatCount(bundleTokens)} tokens; --again compresses it again`,
      columns - 2,
    ).map((line) => `  ${line}`),
    style.dim(`  → ${cleanLine(storedPath(store, bundleMarkdownKey(id)))} (track ${track})`),
  ]
}

export function compressedLines(
  log: string,
  done: CompressedLogSummary,
  { style, columns, verbose }: Screen,
): string[] {
  const width = columns - 2
  const { tokens, counts, notes } = done
  const session = done.title === undefined ? `session ${done.sessionId}` : `“${done.title}”`
  const sizes = `${formatCount(tokens.source)} → ${formatCount(tokens.bundle)} tokens`
  const found = [
    ...(done.state === undefined ? [] : [done.state]),
    formatNumberOf(counts.files, 'file'),
    formatNumberOf(counts.decisions, 'decision'),
    formatNumberOf(counts.nextSteps, 'next step'),
    formatNumberOf(counts.openErrors, 'open error'),
  ]
  // What is only in the JSON is no fault of the log.
  const told = notes.filter(({ code }) => code !== 'trivial-session' && (verbose || code !== 'left-out'))
  const most = verbose ? told.length : shownNotes
  const isTrivial = notes.some(({ code }) => code === 'trivial-session')
  const unsaved = isTrivial ? 'nothing to remember, so nothing was stored' : 'dry run: nothing was written'
  const places = [done.path ?? unsaved, ...(done.out === undefined ? [] : [done.out])]
  return [
    style.bold(log === '-' ? 'stdin' : cleanLine(log)),
    fitCell(`${done.format} · ${session}`, width),
    `${style.bold(sizes)} (${bandText(done, style)})`,
    ...wrapText(
      `${found.join(' · ')} · ${formatNumberOf(done.events, 'event')} · ${formatDuration(done.durationMs)}`,
      width,
    ),
    ...summaryLines(done, style, width),
    ...(done.nextStep === undefined ? [] : wrapText(`next: ${done.nextStep}`, width)),
    ...told
      .slice(0, most)
      .map(
        ({ code, message, count }) => `note: ${code}${count === undefined ? '' : ` ×${count}`}: ${message}`,
      )
      .flatMap((note) => wrapText(note, width).map(style.dim)),
    ...(told.length > most
      ? [style.dim(`… ${told.length - most} more notes in the bundle; --verbose prints them`)]
      : []),
    style.dim(
      `→ ${places.map(cleanLine).join(', ')}${done.path === undefined ? '' : ` (track ${done.track})`}`,
    ),
  ].map((line, index) => (index === 0 ? line : `  ${line}`))
}

const shownNotes = 4

function summaryLines(
  { compression, calls, prices, redacted }: CompressedLogSummary,
  style: Style,
  width: number,
): string[] {
  const { summarizer, model, fallback } = compression
  const spent = spentText(calls, prices)
  return [
    ...(spent === undefined ? [] : [`${summarizer}${model === undefined ? '' : ` ${model}`} · ${spent}`]),
    ...(fallback === undefined ? [] : wrapText(`fallback: ${fallback}`, width).map(style.yellow)),
    ...(redacted === 0 ? [] : [`${formatNumberOf(redacted, 'secret')} replaced by marks`]),
  ]
}

function bandText({ band, tokens, ratios }: CompressedLogSummary, style: Style): string {
  const ratio = formatShare(tokens.ratio, 2)
  const [min, max] = [ratios.min, ratios.max].map((share) => Number((share * 100).toFixed(2)))
  if (band === 'within') return `${style.green(ratio)}, within ${min}–${max} %`
  if (band === 'below') return `${style.yellow(ratio)}, below ${min} %`
  return `${style.green(ratio)}, a small log`
}

export function totalLine(
  {
    done,
    failed,
    calls,
    prices,
    milliseconds,
  }: {
    done: readonly CompressedLogSummary[]
    failed: number
    calls: CompressedLogSummary['calls']
    prices: PriceTable | undefined
    milliseconds: number
  },
  style: Style,
): string {
  const small = done.filter(({ band }) => band === 'small').length
  const source = done.reduce((sum, { tokens }) => sum + tokens.source, 0)
  const bundle = done.reduce((sum, { tokens }) => sum + tokens.bundle, 0)
  const sizes =
    source === 0
      ? ''
      : ` · ${formatCount(source)} → ${formatCount(bundle)} tokens (${formatShare(bundle / source, 2)})${small > 0 ? `, ${small} small` : ''}`
  const failures = `${failed} failed`
  const spent = spentText(calls, prices ?? done[0]?.prices)
  return `${style.bold(`${done.length} done`)}, ${failed > 0 ? style.red(failures) : failures}${sizes}${spent === undefined ? '' : ` · ${spent}`} · ${formatDuration(milliseconds)}`
}

type Calls = CompressedLog['calls']

/**
 * `3 calls · 12,000 tokens in, 300 out · 0.0120 USD` for all requests made; undefined if none was made or taken, so that
 * nothing was billed.
 */
export function spentText(calls: Calls, prices: PriceTable = defaultPrices): string | undefined {
  if (calls.length === 0) return undefined
  const sum = (field: 'inputTokens' | 'outputTokens') =>
    calls.reduce((total, { usage }) => total + (usage[field] ?? 0), 0)
  const cost = costOf(calls, prices)
  const isFree = cost?.amount === 0 && cost.atLeast !== true
  if (isFree && sum('inputTokens') + sum('outputTokens') === 0) return undefined
  const least = usageIsPartial(calls) ? 'at least ' : ''
  const parts = [
    formatNumberOf(calls.length, 'call'),
    `${least}${formatCount(sum('inputTokens'))} tokens in, ${formatCount(sum('outputTokens'))} out`,
    ...(cost === undefined
      ? []
      : [`${cost.atLeast ? 'at least ' : ''}${cost.amount.toFixed(4)} ${cost.currency}`]),
  ]
  return parts.join(' · ')
}

export function estimatedLine({ log, estimates = [] }: LogOutcome, prices: PriceTable): string {
  const [first] = estimates
  const text = first === undefined ? 'no request' : estimateText(first, prices)
  return `${log === '-' ? 'stdin' : cleanLine(log)}: ${text}`
}

export function estimateTotals(outcomes: readonly LogOutcome[], prices: PriceTable): string[] {
  const models = new Map<string, ModelEstimate>()
  for (const estimate of outcomes.flatMap(({ estimates = [] }) => estimates)) {
    const { summarizer, model } = estimate
    const name = model === undefined ? summarizer : `${summarizer} ${cleanLine(model)}`
    const before = models.get(name)
    models.set(name, before === undefined ? estimate : add(before, estimate))
  }
  return [
    `${formatNumberOf(outcomes.length, 'log')} to compress; nothing was sent or written`,
    ...[...models].map(([name, estimate]) => `  ${name}: ${estimateText(estimate, prices)}`),
  ]
}

function estimateText(
  { requests, inputTokens, outputTokens, cost }: ModelEstimate,
  { currency }: PriceTable,
): string {
  const price = cost === undefined ? 'no known price' : `at most ${cost.toFixed(4)} ${currency}`
  return `${formatNumberOf(requests, 'request')} · up to ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out · ${price}`
}

function add(a: ModelEstimate, b: ModelEstimate): ModelEstimate {
  const { cost: _, ...rest } = a
  return {
    ...rest,
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(a.cost !== undefined && b.cost !== undefined && { cost: a.cost + b.cost }),
  }
}
