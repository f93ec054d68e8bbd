import type { TokenCounter } from '../../tokens/token-counter.ts'
import type { SummarizerFailure } from '../summarizer-error.ts'
import { splitTranscript, transcriptTokens } from './split-transcript.ts'
import type { TranscriptPart } from './transcript-part.ts'

/** Known sizes of the requests for parts. */
export interface PartSizes {
  readonly counter: TokenCounter
  /** Tokens of the whole request for a part, by an upper estimate; undefined if the summarizer gives none. */
  readonly requestTokens: (part: TranscriptPart) => number | undefined
}

/** Why a part is split. */
export interface TooLarge {
  readonly reason: SummarizerFailure
  /** Maximum input tokens of the server, if the failure shows it. */
  readonly inputLimit?: number | undefined
}

/** Minimum size of a half. */
const minHalf = 400

/** A request that shrinks by less than this is mostly instructions and facts: size does not explain the failure. */
const minGain = 0.8

/**
 * Splits a part: into halves, or into as many as fit the server's limit. Empty if smaller requests cannot help, because
 * the part is small already or because text other than the items takes most of the request. Pure.
 */
export function smallerParts(
  part: TranscriptPart,
  { inputLimit }: TooLarge,
  sizes: PartSizes,
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
  // The text that each request reads in addition to the items must not outweigh them.
  return fitting.every(({ tokens }) => tokens * tokensPerToken * 2 > overhead) ? fitting : []
}

function split(part: TranscriptPart, share: number, { counter }: PartSizes): TranscriptPart[] {
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
