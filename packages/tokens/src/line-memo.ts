import { copyText } from './copy-text.ts'
import type { TokenCounter } from './token-counter.ts'

/** Shorter texts are counted as fast as they are split. */
const minLength = 2000

/** Maximum characters of the lines in each of the cache's two generations. */
const maxKnown = 8 * 1024 * 1024

/**
 * A counter with the same counts that caches the lines of longer texts, so that counting a text again after a few lines
 * changed is cheap. Returns the given counter if its counts of lines do not add up.
 */
export function rememberLines(counter: TokenCounter): TokenCounter {
  if (counter.linesAddUp !== true) return counter
  let known = new Map<string, number>()
  let older = new Map<string, number>()
  let room = maxKnown
  const countLines = (lines: string): number => {
    const seen = known.get(lines)
    if (seen !== undefined) return seen
    const tokens = older.get(lines) ?? counter.count(lines)
    room -= lines.length
    if (room < 0) {
      older = known
      known = new Map()
      room = maxKnown
    }
    // A slice would keep its whole text in memory.
    known.set(copyText(lines), tokens)
    return tokens
  }
  return {
    name: counter.name,
    linesAddUp: true,
    count(text) {
      if (text.length < minLength) return counter.count(text)
      let tokens = 0
      let start = 0
      for (let end = text.indexOf('\n') + 1; end !== 0; end = text.indexOf('\n', end) + 1) {
        if (!beginsPiece(text.charCodeAt(end))) continue
        tokens += countLines(text.slice(start, end))
        start = end
      }
      return tokens + countLines(text.slice(start))
    },
  }
}

/**
 * Whether a character after a line break begins a piece: printable ASCII except `/`, which may belong to the piece of
 * the line break.
 */
export function beginsPiece(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== 0x2f
}
