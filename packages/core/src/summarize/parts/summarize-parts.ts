import type PQueue from 'p-queue'
import type { TranscriptItem } from '../../plan/transcript-item.ts'
import type { TokenCounter } from '../../tokens/token-counter.ts'
import { type AskedSummary, isSummarizerError } from '../ask-summarizer.ts'
import type { SummarizerError, SummarizerFailure } from '../summarizer-error.ts'
import { splitTranscript, transcriptTokens } from './split-transcript.ts'

/** Consecutive items of a transcript, by position; an item may be shortened. */
export interface TranscriptPart {
  readonly start: number
  /** Index after the last item. */
  readonly end: number
  readonly items: readonly TranscriptItem[]
  /** Tokens of the items in a request. */
  readonly tokens: number
  /** Number of the part and of all parts; the halves of 2/5 are 3/10 and 4/10. */
  readonly place: { readonly number: number; readonly of: number }
}

/** A part with its answer, or with the reason for having none. */
export type PartOutcome =
  | { readonly part: TranscriptPart; readonly answer: AskedSummary }
  | { readonly part: TranscriptPart; readonly error: SummarizerError }

/** The outcome of a part, or a smaller part that is still to be summarized. */
type Step = PartOutcome | { readonly part: TranscriptPart; readonly splits: number }

export interface PartWork {
  readonly counter: TokenCounter
  /** Returns an upper estimate of the tokens in the whole request for a part; undefined if the summarizer has none. */
  readonly requestTokens: (part: TranscriptPart) => number | undefined
  readonly queue: PQueue
  /** No other summarizer follows, so that one failure fails the run. */
  readonly final: boolean
  readonly ask: (part: TranscriptPart) => Promise<AskedSummary>
  /** Called for each part with an outcome, and for each that was split. */
  readonly onProgress: (change: { readonly done: number; readonly more: number }) => void
  readonly onFailure: (error: SummarizerError) => void
}

/**
 * Lets one summarizer summarize parts, several at a time. A part that fails because of its size is split; until a
 * smaller one succeeds, requests are made one at a time, each smaller than one that was too long. A failure because of
 * the content affects only its part; after any other, and if no size succeeds, the remaining parts are not sent.
 * Outcomes are in transcript order. Rejects only with errors other than {@link SummarizerError}, once nothing is
 * running.
 */
export async function summarizeParts(
  parts: readonly TranscriptPart[],
  work: PartWork,
): Promise<PartOutcome[]> {
  const { queue } = work
  const { concurrency } = queue
  const allowance = allowanceFor(parts)
  let out: SummarizerError | undefined
  let goesThrough = false
  let badRequests = 0
  let refused: { readonly tokens: number; readonly error: SummarizerError } | undefined

  const fail = (part: TranscriptPart, error: SummarizerError, isOut: boolean): PartOutcome => {
    // Inside the task, so that the queue does not begin the next one before the result is known.
    if (work.final || isOut) out ??= error
    work.onFailure(error)
    return { part, error }
  }

  const smaller = (part: TranscriptPart, error: SummarizerError, splits: number) =>
    out === undefined && splits < (maxSplits[error.reason] ?? 0) ? smallerParts(part, error, work) : []

  const attempt = async (part: TranscriptPart, splits: number): Promise<Step[]> => {
    if (out !== undefined) return [{ part, error: out }]
    if (refused !== undefined && part.tokens >= refused.tokens) {
      const pieces = smaller(part, refused.error, splits)
      return pieces.length > 0 ? await goOn(pieces, splits) : [fail(part, refused.error, !goesThrough)]
    }
    try {
      const answer = await work.ask(part)
      goesThrough = true
      queue.concurrency = concurrency
      return [{ part, answer }]
    } catch (error) {
      if (!isSummarizerError(error)) throw error
      const { reason } = error
      // If two parts are refused alike, the request is at fault, not the content.
      const isOfAll = reason === 'bad-request' && !goesThrough && ++badRequests > 1
      if (maxSplits[reason] === undefined) return [fail(part, error, isOfAll || !concernsContent(reason))]
      if (reason === 'prompt-too-long' && part.tokens < (refused?.tokens ?? Infinity))
        refused = { tokens: part.tokens, error }
      allowance.requests--
      allowance.tokens -= part.tokens
      const mayRepeat = allowance.requests > 0 && allowance.tokens >= 0
      const pieces = mayRepeat ? smaller(part, error, splits) : []
      if (pieces.length === 0) return [fail(part, error, splits > 0 && !goesThrough)]
      if (!goesThrough) queue.concurrency = 1
      return await goOn(pieces, splits)
    }
  }

  /** While no size is known to succeed, tries only the first piece: it shows whether the others are worth a request. */
  const goOn = async (pieces: readonly TranscriptPart[], splits: number): Promise<Step[]> => {
    const later = pieces.map((part) => ({ part, splits: splits + 1 }))
    const [first, ...rest] = later
    if (goesThrough || first === undefined) return later
    return [...(await attempt(first.part, first.splits)), ...rest]
  }

  const summarize = async (part: TranscriptPart, splits: number): Promise<PartOutcome[]> => {
    // Without the queue's timeout and signal, which would free the slot while the paid call continues.
    const steps = await queue.add(() => attempt(part, splits))
    work.onProgress({ done: steps.filter((step) => !('splits' in step)).length, more: steps.length - 1 })
    return (
      await settled(
        steps.map(async (step) => ('splits' in step ? await summarize(step.part, step.splits) : [step])),
      )
    ).flat()
  }
  try {
    return (await settled(parts.map((part) => summarize(part, 0)))).flat()
  } finally {
    queue.concurrency = concurrency
  }
}

/** Whether a failure is about the content and not about the summarizer, so that another part may succeed. */
export function concernsContent(reason: SummarizerFailure): boolean {
  return contentFailures.has(reason)
}

const contentFailures: ReadonlySet<SummarizerFailure> = new Set<SummarizerFailure>([
  'refused',
  'content-filter',
  'truncated',
  'empty',
  'inflated',
  'invalid-output',
  'bad-request',
  'prompt-too-long',
])

/**
 * Maximum number of times that a part is split, by reason. A refused prompt costs nothing; the other answers were paid
 * for.
 */
const maxSplits: { readonly [K in SummarizerFailure]?: number } = {
  'prompt-too-long': 6,
  truncated: 2,
  inflated: 2,
}

/**
 * Limits of requests that fail because of their size: their number beyond one per part, and their tokens as a multiple
 * of all parts.
 */
const failures = { requests: 8, share: 2 }

/** Returns what is left for requests that fail because of their size. */
function allowanceFor(parts: readonly TranscriptPart[]): { requests: number; tokens: number } {
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0)
  return { requests: parts.length + failures.requests, tokens: tokens * failures.share }
}

/** Returns all results once all have ended. Rejects with the first error in the given order. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/** Minimum tokens of a half. */
const minHalf = 400

/**
 * If a request shrinks by less than this factor, it is mostly instructions and facts, and size does not explain the
 * failure.
 */
const minGain = 0.8

/**
 * Splits a part into halves, or into as many as fit the server's limit. Empty if smaller requests cannot help, because
 * the part is already small or other text takes most of the request.
 */
function smallerParts(
  part: TranscriptPart,
  { inputLimit }: SummarizerError,
  sizes: PartWork,
): TranscriptPart[] {
  const halves = split(part, part.items.length === 1 ? 0.5 : 0.55, sizes)
  const [half] = halves
  const whole = sizes.requestTokens(part)
  const halved = half && sizes.requestTokens(half)
  if (half === undefined || whole === undefined || halved === undefined) return halves
  if (halved > whole * minGain) return []
  if (inputLimit === undefined || halved <= inputLimit) return halves
  const tokensPerToken = (whole - halved) / Math.max(1, part.tokens - half.tokens)
  const overhead = whole - part.tokens * tokensPerToken
  const fitting = split(part, (inputLimit - overhead) / tokensPerToken / part.tokens, sizes)
  // The additional text of each request must not outweigh the items.
  return fitting.every(({ tokens }) => tokens * tokensPerToken * 2 > overhead) ? fitting : []
}

function split(part: TranscriptPart, share: number, { counter }: PartWork): TranscriptPart[] {
  const maxTokens = Math.ceil(part.tokens * share)
  if (!(share > 0) || maxTokens < Math.min(minHalf, part.tokens / 2) || part.tokens / 2 < minHalf) return []
  const pieces = splitTranscript(part.items, { maxTokens, counter })
  let { start } = part
  return pieces.map((items, index) => {
    const piece = {
      start,
      end: start + items.length,
      items,
      tokens: transcriptTokens(items, counter),
      place: {
        number: (part.place.number - 1) * pieces.length + index + 1,
        of: part.place.of * pieces.length,
      },
    }
    start = piece.end
    return piece
  })
}

/** Positions of items: from `start` up to, but not including, `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Sorts ranges and joins those that touch or overlap. */
export function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && last.end >= start)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, end) }
    else result.push({ start, end })
  }
  return result
}
