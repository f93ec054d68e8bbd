import type { TokenCounter } from '../../tokens/token-counter.ts'
import { isBinding } from './binding-words.ts'

/** A mark for what is left out, and its line break. */
const markTokens = 5
/** Fewer lines of a hunk say nothing. */
const leastLines = 3

/**
 * Cuts a diff to at most `maxTokens` by whole hunks, those with code before those with only comments, in order, and the
 * beginning of the first that does not fit. Empty if not even that fits.
 */
export function condenseHunks(diff: string, maxTokens: number, counter: TokenCounter): string {
  const hunks = hunksOf(diff).map((lines, index) => {
    const text = lines.join('\n')
    return { index, lines, text, tokens: counter.count(text) + 1, hasCode: lines.some(isCode) }
  })
  const shown = new Map<number, string>()
  let left = maxTokens - markTokens
  for (const { index, lines, text, tokens } of hunks.toSorted(
    (a, b) => Number(b.hasCode) - Number(a.hasCode) || a.index - b.index,
  )) {
    const fits = tokens + markTokens <= left
    const short = fits ? text : beginning(lines, left - markTokens, counter)
    if (short === '') continue
    shown.set(index, short)
    left -= counter.count(short) + 1 + markTokens
  }
  if (shown.size === 0) return ''
  const parts: string[] = []
  let gap = 0
  for (const { index, text, tokens } of hunks) {
    const part = shown.get(index)
    gap += part === undefined ? tokens : 0
    if (part === undefined) continue
    if (gap > 0) parts.push(`[…${gap}]`)
    parts.push(part)
    gap = part === text ? 0 : tokens - counter.count(part)
  }
  return [...parts, ...(gap > 0 ? [`[…${gap}]`] : [])].join('\n')
}

/** Lines that were removed and those that came in their place, with the line that says where. */
function hunksOf(diff: string): string[][] {
  const hunks: string[][] = []
  let last = ''
  for (const line of diff.split('\n')) {
    const sign = /^(?:@@|\*\*\* )/.test(line) ? '@' : line.startsWith('-') ? '-' : '+'
    const isNew = sign === '@' ? last !== '@' : sign === '-' && last === '+'
    if (hunks.length === 0 || isNew) hunks.push([line])
    else hunks.at(-1)?.push(line)
    last = sign
  }
  return hunks
}

/** The first lines that fit, of what was added before what was removed, and of comments only what says why. */
function beginning(lines: readonly string[], room: number, counter: TokenCounter): string {
  const added = lines.filter((line) => !line.startsWith('-'))
  const changed = added.length > 0 ? added : lines
  const wanted = changed.some(isCode) ? changed.filter((line) => !isComment(line) || saysWhy(line)) : changed
  let left = room
  let count = 0
  for (const line of wanted) {
    left -= counter.count(line) + 1
    if (left < 0) break
    count++
  }
  return count < leastLines ? '' : wanted.slice(0, count).join('\n')
}

/** Whether a line of a diff changes code: not a comment, a bracket or a place. */
function isCode(line: string): boolean {
  return /^[+-]?\s*[^\s]*[\p{L}\p{N}]/u.test(line) && !/^(?:@@|\*\*\* )/.test(line) && !isComment(line)
}

function isComment(line: string): boolean {
  return /^[+-]?\s*(?:\/\/|\/?\*|#(?!\w)|--\s|<!--)/.test(line)
}

function saysWhy(line: string): boolean {
  return (
    /\b(?:because|since|so (?:that|we|it)|instead|rather than|deliberate\w*|on purpose)\b/i.test(line) ||
    isBinding(line)
  )
}
