import { copyText } from './copy-text.ts'
import type { TokenCounter } from './token-counter.ts'

/** Shorter texts are counted as fast as they are cut. */
const minLength = 2000

/** Characters of lines that are remembered; when they are that many, the ones before them are forgotten. */
const maxKnown = 8 * 1024 * 1024

/**
 * A counter that remembers the lines of longer texts: a text that is counted again and again, with few lines changed
 * each time, costs little more than those. Equal counts: it is the counter itself unless that counts line by line.
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
    // A slice would keep its whole text in memory, and there is a new one for each count.
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
 * Whether a character after a line break begins a piece: printable ASCII except `/`, which may belong to the line break
 * before it.
 */
export function beginsPiece(code: number): boolean {
  return code > 0x20 && code < 0x7f && code !== 0x2f
}
