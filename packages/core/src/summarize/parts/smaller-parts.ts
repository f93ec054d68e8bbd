import type { TokenCounter } from '../../tokens/token-counter.ts'
import type { SummarizerFailure } from '../summarizer-error.ts'
import { readingTokens, splitReading } from './split-transcript.ts'
import type { ReadingPart } from './transcript-part.ts'

/** What is known of the requests that parts become. */
export interface PartSizes {
  readonly counter: TokenCounter
  /** Tokens of the whole request for a part, by an upper estimate; undefined if the summarizer gives none. */
  readonly requestTokens: (part: ReadingPart) => number | undefined
}

/** Why a part goes in smaller ones. */
export interface TooLarge {
  readonly reason: SummarizerFailure
  /** Input tokens that the server takes, if the failure shows it. */
  readonly inputLimit?: number | undefined
}

/** Smallest part that a half may be. */
const leastHalf = 400

/** A request that shrinks by less than this is mostly instructions and facts: size does not explain the failure. */
const leastGain = 0.8

/**
 * The part in smaller ones: halves, or as many as fit what the server takes. Empty if smaller requests cannot help, because
 * the part is small already or because what stands beside it takes most of the request. Pure.
 */
export function smallerParts(part: ReadingPart, { inputLimit }: TooLarge, sizes: PartSizes): ReadingPart[] {
  const halves = split(part, part.items.length === 1 ? 0.5 : 0.55, sizes)
  const [half] = halves
  const whole = sizes.requestTokens(part)
  const halved = half && sizes.requestTokens(half)
  if (half === undefined || whole === undefined || halved === undefined) return halves
  if (halved > whole * leastGain) return []
  if (inputLimit === undefined || halved <= inputLimit) return halves
  const tokensPerToken = (whole - halved) / Math.max(1, part.tokens - half.tokens)
  const beside = whole - part.tokens * tokensPerToken
  const fitting = split(part, (inputLimit - beside) / tokensPerToken / part.tokens, sizes)
  // What would be read beside the items, again and again, must not outweigh them.
  return fitting.every(({ tokens }) => tokens * tokensPerToken * 2 > beside) ? fitting : []
}

function split(part: ReadingPart, share: number, { counter }: PartSizes): ReadingPart[] {
  const maxTokens = Math.ceil(part.tokens * share)
  if (!(share > 0) || maxTokens < Math.min(leastHalf, part.tokens / 2) || part.tokens / 2 < leastHalf)
    return []
  const pieces = splitReading(part.items, { maxTokens, counter })
  let { start } = part
  return pieces.map((items, index) => {
    const piece = {
      start,
      end: start + items.length,
      items,
      tokens: readingTokens(items, counter),
      place: {
        number: (part.place.number - 1) * pieces.length + index + 1,
        of: part.place.of * pieces.length,
      },
    }
    start = piece.end
    return piece
  })
}
