import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** What a sentence or line is worth keeping for; 0 or less for one that stands elsewhere already. */
export type Worth = (segment: string) => number

/**
 * Cuts a text to at most `maxTokens` by whole sentences and lines: those of most worth stay, in order, with `[…N]` for
 * the tokens left out between them; the first and the last count a little more, since they open and conclude. A text
 * that is one long sentence is shortened instead.
 */
export function condense(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  worth: Worth,
  tokens: number,
): string {
  if (tokens <= maxTokens) return text
  const segments = segmentsOf(text).map((segment) => ({ text: segment, tokens: counter.count(segment) }))
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

/** Worth of mere words, which are most of what a person says. */
const perToken = 0.12

// A mark, and the line break or space beside it.
const gapTokens = 4

/** Sentences and lines, each with the white space after it, so that joining them gives the text back. */
function segmentsOf(text: string): string[] {
  return text.split(/(?<=\n)|(?<=[.!?]["')\]]?\s)|(?<=[。！？])/).filter((segment) => segment !== '')
}

function render(
  segments: readonly { readonly text: string; readonly tokens: number }[],
  kept: ReadonlySet<number>,
): string {
  let text = ''
  let gone = 0
  const mark = () => {
    if (gone > 0) text += `${text === '' || /\s$/.test(text) ? '' : ' '}[…${gone}]\n`
    gone = 0
  }
  segments.forEach((segment, index) => {
    if (!kept.has(index)) {
      gone += segment.tokens
      return
    }
    if (gone > 0 && text !== '' && !text.endsWith('\n')) {
      text += `[…${gone}] `
      gone = 0
    } else mark()
    text += segment.text
  })
  if (gone > 0) text = `${text.trimEnd()} […${gone}]`
  return text.trim()
}
