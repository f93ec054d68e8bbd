import { shorten } from './shorten.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Cuts a text to at most `maxTokens`, line by line: all lines get the same cap, so short ones stay whole. If there is
 * too little room for all lines, it keeps the first and the last one, then others from the beginning, and marks the
 * gap. A text of one line is cut by {@link shorten}.
 */
export function shortenLines(text: string, maxTokens: number, counter: TokenCounter): string {
  const whole = counter.count(text)
  if (whole <= maxTokens) return text
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2 || maxTokens < 2 * leastLine) return shorten(text, maxTokens, counter, whole)
  const kept = keptLines(lines.length, Math.floor(maxTokens / leastLine))
  const sizes = lines.map((line) => counter.count(line) + 1)
  for (
    let cap = capOf(
      kept.map((at) => sizes[at] ?? 0),
      maxTokens,
    );
    cap > 0;
    cap = Math.floor(cap * 0.9)
  ) {
    const short = kept.map((at, index) => {
      const next = kept[index + 1] ?? lines.length
      const gone = sizes.slice(at + 1, next).reduce((sum, size) => sum + size, 0)
      const line = shorten(lines[at] ?? '', cap, counter, (sizes[at] ?? 1) - 1)
      return gone === 0 || line === '' ? line : `${line}\n[…${gone}]`
    })
    const joined = short.filter((line) => line !== '').join('\n')
    if (counter.count(joined) <= maxTokens) return joined
  }
  return ''
}

/** Fewest tokens with which a cut line is still useful. */
const leastLine = 14

function keptLines(count: number, most: number): number[] {
  const head = Math.min(count, most) - 1
  return [...Array.from({ length: head }, (_, at) => at), count - 1]
}

/** Returns the largest common cap with which the sizes sum up to at most `room`. */
function capOf(sizes: readonly number[], room: number): number {
  let left = room
  for (const [index, size] of [...sizes].sort((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index))
    if (size > share) return share
    left -= size
  }
  return room
}
