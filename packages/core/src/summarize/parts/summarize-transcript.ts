import type PQueue from 'p-queue'
import type { SessionSummary } from '../../bundle/session-summary.ts'
import type { BundlePlan } from '../../plan/plan-bundle.ts'
import type { TranscriptItem } from '../../plan/transcript-item.ts'
import { eventIndex } from '../../session/event.ts'
import type { TokenCounter } from '../../tokens/token-counter.ts'
import { type AskedSummary, type Asking, askSummarizer, isSummarizerError } from '../ask-summarizer.ts'
import { carriedBeside, type ShownItem } from '../shown-items.ts'
import type { Summarizer, SummaryRequest } from '../summarizer.ts'
import { SummarizerError } from '../summarizer-error.ts'
import { itemHeadTokens, minPartTokens, splitTranscript, transcriptTokens } from './split-transcript.ts'
import {
  concernsContent,
  joined,
  type PartOutcome,
  type Range,
  summarizeParts,
  type TranscriptPart,
} from './summarize-parts.ts'

/** The items to summarize, with the summarizers and their settings. */
export interface TranscriptWork extends Asking {
  readonly plan: BundlePlan
  readonly items: readonly TranscriptItem[]
  /** The same items, one for one, as a summarizer reads them. */
  readonly itemsFor: (summarizer: Summarizer) => readonly TranscriptItem[]
  /** Summary of everything before the items. */
  readonly earlier?: SessionSummary
  /** Items from earlier sessions, shown in the request about the last items. */
  readonly carried: readonly ShownItem[]
  readonly chain: readonly Summarizer[]
  readonly queue: PQueue
  /** The plan's counter, perhaps with a cache. */
  readonly counter: TokenCounter
  /** Maximum tokens of the whole summary. */
  readonly maxTokens: number
  /** False if no limit was given, so that nothing needs to be estimated. */
  readonly limited: boolean
  /** Stops everything that still runs, because the run has failed. */
  readonly stop: (error: SummarizerError) => void
  readonly onProgress: (state: { summarizer: string; done: number; of: number }) => void
}

/** A summarized part with its author. */
export interface Piece {
  readonly part: TranscriptPart
  readonly answer: AskedSummary
  readonly level: number
  readonly summarizer: Summarizer
  /** True if the answer includes the earlier summary. */
  readonly updated: boolean
}

/** A part that a summarizer failed on. */
export interface PartFailure {
  readonly part: TranscriptPart
  readonly error: SummarizerError
  readonly level: number
  readonly summarizer: Summarizer
}

/**
 * Lets the chain summarize the items: what one summarizer leaves is split again and goes to the next. Throws {@link
 * SummarizerError}, without calls, if something is left at the end.
 */
export async function summarizeTranscript(
  work: TranscriptWork,
): Promise<{ pieces: Piece[]; failures: PartFailure[] }> {
  const pieces: Piece[] = []
  const failures: PartFailure[] = []
  let left: Range[] = [{ start: 0, end: work.items.length }]
  for (const [level, summarizer] of work.chain.entries()) {
    const parts = placed(
      left.flatMap((range) => partsFor(summarizer, range, work)),
      pieces,
    )
    const outcomes = await summarizeLevel(
      { parts, pieces, summarizer, final: level === work.chain.length - 1 },
      work,
    )
    for (const outcome of outcomes) {
      const { part } = outcome
      if ('error' in outcome) failures.push({ part, error: outcome.error, level, summarizer })
      else pieces.push({ ...outcome, level, summarizer, updated: updates(summarizer, part, work) })
    }
    left = joined(outcomes.flatMap((outcome) => ('error' in outcome ? outcome.part : [])))
    if (left.length === 0) break
  }
  if (left.length > 0) throw chainError(failures, work.chain)
  return { pieces: pieces.sort((a, b) => a.part.start - b.part.start), failures }
}

/** Whether a failure disabled the summarizer, not only one of its parts. */
export function isOut(summarizer: Summarizer, failures: readonly PartFailure[]): boolean {
  return failures.some(
    (failure) => failure.summarizer === summarizer && !concernsContent(failure.error.reason),
  )
}

interface Level {
  readonly parts: readonly TranscriptPart[]
  /** Pieces of other summarizers. */
  readonly pieces: readonly Piece[]
  readonly summarizer: Summarizer
  readonly final: boolean
}

/** Lets one summarizer of the chain summarize the remaining ranges. */
async function summarizeLevel(
  { parts, pieces, summarizer, final }: Level,
  work: TranscriptWork,
): Promise<PartOutcome[]> {
  const { queue, counter, spending, limited, stop } = work
  const total = [...parts, ...pieces.map(({ part }) => part)].reduce((sum, { tokens }) => sum + tokens, 0)
  const requestOf = (part: TranscriptPart) => requestFor(part, summarizer, total, work)
  let done = pieces.length
  let of = done + parts.length
  const reportProgress = () => work.onProgress({ summarizer: summarizer.name, done, of })
  if (of > 1) reportProgress()
  try {
    assertWindow(summarizer)
    if (limited) spending.planned(parts.flatMap((part) => summarizer.estimate?.(requestOf(part)) ?? []))
  } catch (error) {
    if (!isSummarizerError(error)) throw error
    return parts.map((part) => ({ part, error }))
  }
  return await summarizeParts(parts, {
    queue,
    counter,
    final,
    requestTokens: (part) => summarizer.estimate?.(requestOf(part)).inputTokens,
    ask: (part) => askSummarizer(summarizer, requestOf(part), part.start, work),
    onProgress: (change) => {
      done += change.done
      of += change.more
      reportProgress()
    },
    onFailure: (error) => {
      if (final) stop(error)
    },
  })
}

function requestFor(
  part: TranscriptPart,
  summarizer: Summarizer,
  total: number,
  work: TranscriptWork,
): SummaryRequest {
  const { plan, earlier, items, counter } = work
  const { kind, facts } = plan
  const { tokens, end } = part
  const { contextWindow, estimate } = summarizer
  const carried =
    end === items.length && estimate !== undefined
      ? carriedBeside(work.carried, { tokens, contextWindow }, counter)
      : []
  return {
    kind,
    facts,
    items: part.items,
    sourceTokens: sourceTokensOf(part, work),
    maxTokens: part.place.of === 1 ? work.maxTokens : shareOf(part, total, work.maxTokens),
    ...(part.place.of === 1 ? {} : { part: part.place }),
    ...(earlier !== undefined && updates(summarizer, part, work) ? { earlier } : {}),
    ...(carried.length === 0 ? {} : { carried }),
  }
}

/** Counts the source tokens of the events from the first item of a part up to the next part. */
function sourceTokensOf({ start, end }: TranscriptPart, { plan, items }: TranscriptWork): number {
  if (start === 0 && items.length === plan.transcript.length && end === items.length) return plan.tokens.total
  const from = eventIndex(items[start]?.event ?? 'e1')
  const next = items[end]
  const to = next === undefined ? undefined : eventIndex(next.event)
  return plan.tokens.byEvent.slice(from, to).reduce((sum, tokens) => sum + tokens, 0)
}

/** Minimum tokens for the summary of a part, but never more than half of the part. */
const minShare = 600

function shareOf(part: TranscriptPart, total: number, maxTokens: number): number {
  const least = Math.min(minShare, part.tokens / 2)
  return Math.ceil(Math.max(least, (maxTokens * part.tokens) / Math.max(total, part.tokens, 1)))
}

/** Whether the part is the whole transcript, and the summarizer can update the earlier summary with it. */
function updates(summarizer: Summarizer, part: TranscriptPart, work: TranscriptWork): boolean {
  const { earlier, counter, items } = work
  if (earlier === undefined || summarizer.incremental !== true) return false
  if (part.start !== 0 || part.end !== items.length) return false
  const { contextWindow = Number.POSITIVE_INFINITY } = summarizer
  return part.tokens + countSummary(earlier, counter) <= contextWindow
}

export function countSummary(summary: SessionSummary, counter: TokenCounter): number {
  return counter.count(JSON.stringify(summary))
}

function assertWindow({ name, contextWindow = Number.POSITIVE_INFINITY }: Summarizer): void {
  if (!(contextWindow >= minPartTokens))
    throw new SummarizerError(
      `${name} has room for ${contextWindow} tokens of the session in one request: use a model with a larger window, or leave more of it to the session`,
      { reason: 'prompt-too-long' },
    )
}

type Unplaced = Omit<TranscriptPart, 'place'>

/** Returns the items of a range, in parts that the summarizer accepts. */
function partsFor(summarizer: Summarizer, { start, end }: Range, work: TranscriptWork): Unplaced[] {
  const { counter, plan } = work
  const { contextWindow } = summarizer
  const all = work.itemsFor(summarizer)
  const items = start === 0 && end === all.length ? all : all.slice(start, end)
  const limited = contextWindow !== undefined && contextWindow >= minPartTokens
  if (!limited || items.length === 0) {
    // These were already counted by the plan.
    const tokens =
      items === plan.transcript
        ? plan.readTokens + items.length * itemHeadTokens
        : transcriptTokens(items, counter)
    return [{ start, end, items, tokens }]
  }
  let position = start
  return splitTranscript(items, { maxTokens: contextWindow, counter }).map((part) => {
    const at = position
    position += part.length
    return { start: at, end: position, items: part, tokens: transcriptTokens(part, counter) }
  })
}

/** Numbers the parts among all parts. */
function placed(parts: readonly Unplaced[], pieces: readonly Piece[]): TranscriptPart[] {
  const starts = [...parts, ...pieces.map(({ part }) => part)].map(({ start }) => start).sort((a, b) => a - b)
  return parts.map((part) => ({
    ...part,
    place: { number: starts.indexOf(part.start) + 1, of: starts.length },
  }))
}

/** Returns the error of a whole chain: that of the last summarizer, with the failures of the others before it. */
function chainError(failures: readonly PartFailure[], chain: readonly Summarizer[]): SummarizerError {
  const firsts = chain.flatMap(
    (summarizer) => failures.find((failure) => failure.summarizer === summarizer) ?? [],
  )
  const last = firsts.at(-1)?.error
  const message = [...new Set(firsts.map(({ error }) => error.message))].join('; ')
  return new SummarizerError(message, {
    reason: last?.reason ?? 'unknown',
    retryable: last?.retryable ?? false,
    cause: last,
  })
}
