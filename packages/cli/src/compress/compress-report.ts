import type { CompressedLog, PriceTable } from '@tenfold/core'
import {
  bundleKey,
  bundleMarkdownKey,
  cleanLine,
  costOf,
  defaultPrices,
  pointLine,
  usageIsPartial,
} from '@tenfold/core/internal'
import { storedPath } from '../store/open-store.ts'
import { present } from '../terminal/report.ts'
import { fitCell, wrapText } from '../terminal/table.ts'
import type { Screen } from '../terminal/terminal.ts'
import { formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/text.ts'
import {
  addEstimates,
  type CompressedLogSummary,
  type LogOutcome,
  type ModelEstimate,
} from './compress-one.ts'

export function outcomeJson(outcome: LogOutcome): Record<string, unknown> {
  const { log, done, error, known, elsewhere, sameAs, estimates } = outcome
  if (known !== undefined) {
    const { id, track, format, sessionId, sourceTokens: source, bundleTokens, cost } = known
    const bundle = known.stored === false ? null : { id, key: bundleKey(id) }
    const tokens = { source, bundle: bundleTokens, ratio: source === 0 ? 0 : bundleTokens / source }
    return { log, known: true, elsewhere, format, sessionId, bundle, track, tokens, cost }
  }
  if (sameAs !== undefined) return { log, sameAs }
  if (estimates !== undefined) return { log, dryRun: true, estimates }
  if (done === undefined) return { log, error }
  const { format, sessionId, bundle, state, tokens, band, events, redacted, notes, durationMs, calls } = done
  const { summarizer, model, promptVersion, readTokens, unverified, usage, cost, fallback } = done.compression
  const summary = { summarizer, model, promptVersion, readTokens, unverified, calls, usage, cost, fallback }
  const dryRun = bundle.key === null && !isTrivial(done) ? true : undefined
  const made = { log, format, sessionId, bundle, state, tokens, band, events, redacted, summary, notes }
  return { ...made, durationMs, dryRun }
}

/** A trivial session left nothing to remember, so its bundle is not stored. */
function isTrivial({ notes }: CompressedLogSummary): boolean {
  return notes.some(({ code }) => code === 'trivial-session')
}

const nothingStored = 'nothing to remember, so nothing was stored'

function block(log: string, lines: readonly string[], { style }: Screen): string[] {
  return [style.bold(nameOf(log)), ...lines.map((line) => `  ${line}`)]
}

function nameOf(log: string): string {
  return log === '-' ? 'stdin' : cleanLine(log)
}

export function knownLines({ log, known, elsewhere }: LogOutcome, place: string, screen: Screen): string[] {
  if (known === undefined) return []
  const { id, track, sourceTokens, bundleTokens, stored } = known
  const did = elsewhere ? 'compressed by another run meanwhile' : 'already compressed'
  const sizes = `${formatCount(sourceTokens)} → ${formatCount(bundleTokens)} tokens`
  const result = stored === false ? nothingStored : sizes
  const path = cleanLine(storedPath(place, bundleMarkdownKey(id)))
  const lines = wrapText(`${did} (${result}); pass --again to redo`, screen.columns - 2)
  const where = stored === false ? [] : [screen.style.dim(`→ ${path} (track ${track})`)]
  return block(log, [...lines, ...where], screen)
}

const shownNotes = 4

export function compressedLines(log: string, done: CompressedLogSummary, screen: Screen): string[] {
  const { style, columns, verbose } = screen
  const wrapped = (text: string | false | undefined): string[] => (text ? wrapText(text, columns - 2) : [])
  const { tokens, counts, notes, compression } = done
  const { summarizer, model, fallback } = compression
  const session = done.title === undefined ? `session ${done.sessionId}` : `“${done.title}”`
  const found = [
    ...(done.state === undefined ? [] : [done.state]),
    formatNumberOf(counts.files, 'file'),
    formatNumberOf(counts.decisions, 'decision'),
    formatNumberOf(counts.nextSteps, 'next step'),
    formatNumberOf(counts.openErrors, 'open error'),
    formatNumberOf(done.events, 'event'),
    formatDuration(done.durationMs),
  ]
  const spent = spentText(done.calls, done.prices)
  // A `left-out` note is not a fault of the log: it marks what only the JSON has.
  const told = notes.filter(({ code }) => code !== 'trivial-session' && (verbose || code !== 'left-out'))
  const shown = told
    .slice(0, verbose ? told.length : shownNotes)
    .map(({ code, message, count }) => `note: ${code}${count === undefined ? '' : ` ×${count}`}: ${message}`)
  const more = formatNumberOf(told.length - shown.length, 'more note')
  const places = [done.path ?? (isTrivial(done) ? nothingStored : 'dry run: nothing was written'), done.out]
  const lines = [
    fitCell(`${done.format} · ${session}`, columns - 2),
    `${style.bold(`${formatCount(tokens.source)} → ${formatCount(tokens.bundle)} tokens`)} (${bandText(done, screen)})`,
    ...wrapped(found.join(' · ')),
    spent && `${summarizer}${model === undefined ? '' : ` ${model}`} · ${spent}`,
    ...wrapped(fallback && `fallback: ${fallback}`).map(style.yellow),
    done.redacted > 0 && `${formatNumberOf(done.redacted, 'secret')} redacted`,
    ...wrapped(done.nextStep && `next: ${pointLine(done.nextStep)}`),
    ...shown.flatMap(wrapped).map(style.dim),
    told.length > shown.length && style.dim(`… ${more} in the bundle; --verbose prints them`),
    style.dim(
      `→ ${present(places).map(cleanLine).join(', ')}${done.path === undefined ? '' : ` (track ${done.track})`}`,
    ),
  ]
  return block(log, present(lines), screen)
}

function bandText({ band, tokens, ratios }: CompressedLogSummary, { style }: Screen): string {
  const ratio = formatShare(tokens.ratio, 2)
  const [min, max] = [ratios.min, ratios.max].map((share) => Number((share * 100).toFixed(2)))
  if (band === 'within') return `${style.green(ratio)}, within ${min}–${max} %`
  if (band === 'below') return `${style.yellow(ratio)}, below ${min} %`
  return `${style.green(ratio)}, a small log`
}

export function totalLine(
  done: readonly CompressedLogSummary[],
  { failed, spent, milliseconds }: { failed: number; spent: string | undefined; milliseconds: number },
  { style }: Screen,
): string {
  // Trivial bundles were not stored, so they do not count for the ratio.
  const kept = done.filter((each) => !isTrivial(each))
  const small = kept.filter(({ band }) => band === 'small').length
  const source = kept.reduce((sum, { tokens }) => sum + tokens.source, 0)
  const bundle = kept.reduce((sum, { tokens }) => sum + tokens.bundle, 0)
  const trivial = done.length - kept.length
  const ratio = `${formatCount(source)} → ${formatCount(bundle)} tokens (${formatShare(bundle / source, 2)})`
  const failures = failed > 0 ? style.red(`${failed} failed`) : '0 failed'
  return present([
    `${style.bold(`${done.length} done`)}${trivial > 0 ? ` (${trivial} with nothing to remember)` : ''}, ${failures}`,
    source > 0 && `${ratio}${small > 0 ? `, ${formatNumberOf(small, 'small log')}` : ''}`,
    spent,
    formatDuration(milliseconds),
  ]).join(' · ')
}

/** Text for the cost of all requests. Undefined if no request was made or accepted, so nothing was billed. */
export function spentText(
  calls: CompressedLog['calls'],
  prices: PriceTable = defaultPrices,
): string | undefined {
  if (calls.length === 0) return undefined
  const sum = (field: 'inputTokens' | 'outputTokens') =>
    calls.reduce((total, { usage }) => total + (usage[field] ?? 0), 0)
  const cost = costOf(calls, prices)
  const isFree = cost?.amount === 0 && cost.atLeast !== true
  if (isFree && sum('inputTokens') + sum('outputTokens') === 0) return undefined
  const least = usageIsPartial(calls) ? 'at least ' : ''
  const price = cost && `${cost.atLeast ? 'at least ' : ''}${cost.amount.toFixed(4)} ${cost.currency}`
  const tokens = `${least}${formatCount(sum('inputTokens'))} tokens in, ${formatCount(sum('outputTokens'))} out`
  return present([formatNumberOf(calls.length, 'call'), tokens, price]).join(' · ')
}

export function estimatedLine({ log, estimates: [first] = [] }: LogOutcome, prices: PriceTable): string {
  return `${nameOf(log)}: ${first === undefined ? 'no request' : estimateText(first, prices)}`
}

export function estimateTotals(outcomes: readonly LogOutcome[], prices: PriceTable): string[] {
  const models = addEstimates(outcomes.flatMap(({ estimates = [] }) => estimates))
  return [
    `${formatNumberOf(outcomes.length, 'log')} to compress; nothing was sent or written`,
    ...models.map((each) => {
      const name = [each.summarizer, each.model && cleanLine(each.model)].filter(Boolean).join(' ')
      return `  ${name}: ${estimateText(each, prices)}`
    }),
  ]
}

function estimateText({ requests, inputTokens, outputTokens, cost }: ModelEstimate, prices: PriceTable) {
  const price = cost === undefined ? 'price unknown' : `at most ${cost.toFixed(4)} ${prices.currency}`
  return `${formatNumberOf(requests, 'request')} · up to ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out · ${price}`
}
