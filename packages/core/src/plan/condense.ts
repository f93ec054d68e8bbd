import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** What a sentence or line is worth keeping for; 0 or less for one that stands elsewhere already. */
export type Worth = (segment: string) => number

/**
 * Cuts a text to at most `maxTokens` by whole sentences and lines: those of most worth stay, in order, with `[…N]` for
 * the tokens left out between them; the first and the last count a little more, since they open and conclude. A gap that
 * takes no more than its mark would is written out. A text that is one long sentence is shortened instead.
 */
export function condense(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  worth: Worth,
  tokens: number,
): string {
  if (tokens <= maxTokens) return text
  const segments = segmentsOf(text).map((segment) => {
    const size = counter.count(segment)
    return { text: segment, tokens: size, source: size + alreadyGone(segment) }
  })
  if (segments.length < 2) return shorten(text, maxTokens, counter, tokens)
  const last = segments.length - 1
  const ranked = segments
    .map((segment, index) => {
      const place = index === 0 ? 1.5 : index === last ? 0.75 : 0
      return {
        index,
        tokens: segment.tokens,
        value:
          (place + segment.tokens * perToken + worth(segment.text)) / Math.sqrt(segment.tokens + gapTokens),
      }
    })
    .sort((a, b) => b.value - a.value || a.index - b.index)
  const kept = new Set<number>()
  let size = gapTokens
  for (const { index, tokens: cost, value } of ranked) {
    if (value <= 0) break
    const joined = Number(kept.has(index - 1)) + Number(kept.has(index + 1))
    const added = cost + gapTokens * (1 - joined)
    if (size + added > maxTokens) continue
    kept.add(index)
    size += added
  }
  for (const { index } of ranked.toReversed()) {
    if (kept.size === 0) break
    const short = render(segments, kept)
    if (counter.count(short) <= maxTokens) return short
    kept.delete(index)
  }
  const best = segments[ranked[0]?.index ?? 0]
  return best === undefined ? '' : shorten(best.text.trim(), maxTokens, counter)
}

interface Segment {
  readonly text: string
  readonly tokens: number
  /** Tokens that it stands for: also those that were left out of it before. */
  readonly source: number
}

/** Tokens that the marks `[…N]` in a text say were left out before. */
function alreadyGone(text: string): number {
  let gone = 0
  for (const [, tokens] of text.matchAll(/\[…(\d{1,9})\]/g)) gone += Number(tokens)
  return gone
}

/** Worth of mere words, which are most of what a person says. */
const perToken = 0.12

// A mark, and the line break or space beside it.
const gapTokens = 4

/** Sentences and lines, each with the white space after it, so that joining them gives the text back. */
function segmentsOf(text: string): string[] {
  return text.split(/(?<=\n)|(?<=[.!?]["')\]]?\s)|(?<=[。！？])/).filter((segment) => segment !== '')
}

function render(segments: readonly Segment[], kept: ReadonlySet<number>): string {
  let text = ''
  let gap: Segment[] = []
  const closeGap = (isEnd: boolean) => {
    const size = gap.reduce((sum, segment) => sum + segment.tokens, 0)
    if (size === 0) return
    const gone = gap.reduce((sum, segment) => sum + segment.source, 0)
    if (size <= gapTokens && text !== '' && !isEnd) for (const segment of gap) text += segment.text
    else if (isEnd) text = `${text.trimEnd()} […${gone}]`
    else if (text !== '' && !text.endsWith('\n')) text += `[…${gone}] `
    else text += `[…${gone}]\n`
    gap = []
  }
  segments.forEach((segment, index) => {
    if (!kept.has(index)) {
      gap.push(segment)
      return
    }
    closeGap(false)
    text += segment.text
  })
  closeGap(true)
  return text.trim()
}
