import type { TokenCounter } from '../../tokens/token-counter.ts'
import type { ScoreSentence } from '../condense.ts'

/** A line break, and the bar before the line. */
const breakTokens = 1
/** `(12 of 340 lines)` */
const headTokens = 8
/** Fewer lines than these say less about a text than its name. */
const leastLines = 2

/**
 * Cuts a file or an output to at most `maxTokens` by whole lines, those with the highest scores, below the count of them:
 * `(12 of 340 lines)`. Marks between lines that are all apart would take as much room as the lines. Empty if hardly a
 * line fits.
 */
export function pickLines(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  score: ScoreSentence,
): string {
  const lines = text.split('\n')
  const ranked = lines
    .map((line, index) => ({ index, line, tokens: counter.count(line) + breakTokens }))
    .filter(({ line }) => /[\p{L}\p{N}]/u.test(line))
    .map((each) => ({ ...each, value: score(each.line) / Math.sqrt(each.tokens + breakTokens) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || a.index - b.index)
  const kept = new Set<number>()
  const seen = new Set<string>()
  let left = maxTokens - headTokens
  for (const { index, line, tokens } of ranked) {
    if (tokens > left || seen.has(line.trim())) continue
    seen.add(line.trim())
    kept.add(index)
    left -= tokens
  }
  if (kept.size < leastLines) return ''
  const shown = lines.filter((_, index) => kept.has(index))
  return [`(${kept.size} of ${lines.length} lines)`, ...shown].join('\n')
}

/** Whether more than a third of the lines of a text hold a mark for what was left out: it is no longer one text. */
export function isFragment(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const marks = lines.filter((line) => /\[…\d{1,9}\]/.test(line)).length
  return marks * 3 > lines.length
}
