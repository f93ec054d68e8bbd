import type { TokenCounter } from '../tokens/token-counter.ts'

/**
 * Returns the tokens of a text without the white space at its ends, given the tokens of the whole text. If lines add up,
 * only the lines at the ends are counted.
 */
export function trimmedTokens(text: string, tokens: number, counter: TokenCounter): number {
  const trimmed = text.trim()
  if (trimmed.length === text.length) return tokens
  const start = text.length - text.trimStart().length
  const end = start + trimmed.length
  // What is between two cuts takes the same tokens in both texts.
  const first = start === 0 ? 0 : cutAfter(text, start)
  const last = end === text.length ? end : cutBefore(text, end)
  if (counter.linesAddUp !== true || first === -1 || last < first) return counter.count(trimmed)
  const count = (from: number, to: number) => (from === to ? 0 : counter.count(text.slice(from, to)))
  return tokens - count(0, first) + count(start, first) - count(last, text.length) + count(last, end)
}

/** The first place after `from` where a text can be cut so that the tokens add up, or -1. */
function cutAfter(text: string, from: number): number {
  for (let at = text.indexOf('\n', from) + 1; at !== 0; at = text.indexOf('\n', at) + 1)
    if (isCut(text, at)) return at
  return -1
}

/** The last such place before `to`, or -1. */
function cutBefore(text: string, to: number): number {
  for (let at = text.lastIndexOf('\n', to - 1) + 1; at > 1; at = text.lastIndexOf('\n', at - 2) + 1)
    if (isCut(text, at)) return at
  return -1
}

/** Whether the law of `linesAddUp` holds after a line break. */
function isCut(text: string, start: number): boolean {
  let at = start
  while (text[at] === ' ' || text[at] === '\t') at++
  const code = text.charCodeAt(at)
  return code > 0x20 && code < 0x7f && (at > start || text[at] !== '/')
}
