import type { TranscriptItem } from '../../plan/transcript-item.ts'
import { shorten } from '../../tokens/shorten.ts'
import type { TokenCounter } from '../../tokens/token-counter.ts'

export interface SplitOptions {
  /** Maximum tokens of one part, including heads of items. */
  readonly maxTokens: number
  readonly counter: TokenCounter
}

/** Tokens of an item's head in a request: event, agent, label, status. */
export const itemHeadTokens = 12

/** Smaller parts are not worth a request. */
export const minPartTokens = 32

/** Planned share of a part, so that a cut can move to a better place without an additional part. */
const planned = 0.92

/** Bounds for the start of a user turn that replaces an even cut, as shares of the even size. */
const near = { least: 0.7, most: 1.2 }

export function itemTokens(item: TranscriptItem, counter: TokenCounter): number {
  return counter.count(item.text) + itemHeadTokens
}

export function transcriptTokens(items: readonly TranscriptItem[], counter: TokenCounter): number {
  return items.reduce((sum, item) => sum + itemTokens(item, counter), 0)
}

/**
 * Splits a transcript into consecutive parts of about equal size, cut between items and, if possible, at a nearby user
 * turn. An item larger than a part keeps its head and tail, with a mark for the gap. An empty transcript has no parts.
 * Throws RangeError if `maxTokens` is too small for any item.
 */
export function splitTranscript(items: readonly TranscriptItem[], options: SplitOptions): TranscriptItem[][] {
  const { maxTokens, counter } = options
  if (!(maxTokens >= minPartTokens))
    throw new RangeError(`expected maxTokens of at least ${minPartTokens}, got ${maxTokens}`)
  const sized = items.map((item) => cutToSize(item, maxTokens, counter))
  let rest = sized.reduce((sum, { tokens }) => sum + tokens, 0)
  const count = Math.ceil(rest / (maxTokens * planned))
  const parts: TranscriptItem[][] = []
  for (let start = 0; start < sized.length; ) {
    const even = rest / Math.max(count - parts.length, Math.ceil(rest / maxTokens))
    const { end, tokens } =
      rest <= maxTokens ? { end: sized.length, tokens: rest } : cutFrom(sized, start, even, maxTokens)
    parts.push(sized.slice(start, end).map(({ item }) => item))
    rest -= tokens
    start = end
  }
  return parts
}

interface Sized {
  readonly item: TranscriptItem
  readonly tokens: number
}

function cutToSize(item: TranscriptItem, maxTokens: number, counter: TokenCounter): Sized {
  const tokens = itemTokens(item, counter)
  if (tokens <= maxTokens) return { item, tokens }
  const text = shorten(item.text, maxTokens - itemHeadTokens, counter, tokens - itemHeadTokens)
  return { item: { ...item, text }, tokens: maxTokens }
}

interface Cut {
  readonly end: number
  readonly tokens: number
}

/**
 * Returns the end of the part that begins at `start`: at the user turn nearest to the even size, otherwise at the
 * nearest item.
 */
function cutFrom(items: readonly Sized[], start: number, even: number, maxTokens: number): Cut {
  const nearer = (cut: Cut, other: Cut | undefined) =>
    other === undefined || Math.abs(cut.tokens - even) < Math.abs(other.tokens - even) ? cut : other
  let cut: Cut = { end: start + 1, tokens: items[start]?.tokens ?? 0 }
  let nearest = cut
  let atTurn: Cut | undefined
  while (cut.tokens <= maxTokens && cut.end < items.length) {
    nearest = nearer(cut, nearest)
    const next = items[cut.end]
    const turns = next?.item.label === 'user' && next.item.agent === 'main'
    if (turns && cut.tokens >= even * near.least && cut.tokens <= even * near.most)
      atTurn = nearer(cut, atTurn)
    cut = { end: cut.end + 1, tokens: cut.tokens + (next?.tokens ?? 0) }
  }
  return atTurn ?? nearest
}
