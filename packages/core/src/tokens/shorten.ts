import type { TokenCounter } from './token-counter.ts'

/**
 * Cuts a text to at most `maxTokens`, with a mark that tells how many tokens are gone: `head […123] tail`. A short rest
 * keeps its head only: two scraps say less than one. Cuts at white space where there is some near. Returns '' where not
 * even the mark fits.
 */
export function shorten(text: string, maxTokens: number, counter: TokenCounter, tokens = counter.count(text)): string {
  if (tokens <= maxTokens) return text
  let keep = Math.floor((text.length * (maxTokens - markTokens)) / tokens)
  for (let round = 0; round < 6 && keep > 0; round++) {
    const first = maxTokens < leastForBoth ? keep : Math.ceil(keep * 0.65)
    const head = headOf(text, first)
    const tail = tailOf(text, keep - first, head.length)
    const kept = counter.count(head) + counter.count(tail)
    const short = `${head} […${Math.max(1, tokens - kept)}]${tail === '' ? '' : ` ${tail}`}`.trim()
    const size = counter.count(short)
    if (size <= maxTokens) return short
    keep = Math.min(keep - 1, Math.floor((keep * maxTokens) / (size + 1)))
  }
  return ''
}

/** Tokens of the mark itself, about. */
const markTokens = 4

const leastForBoth = 40

/** Characters of a word that are given up rather than cut: half a path or name is a wrong one. */
const reach = 160

function headOf(text: string, length: number): string {
  const slice = text.slice(0, length)
  if (/^\s/.test(text.slice(length))) return slice.trimEnd()
  const space = Math.max(slice.lastIndexOf(' '), slice.lastIndexOf('\n'))
  return wellCut(space > 0 && length - space <= reach ? slice.slice(0, space) : slice).trimEnd()
}

function tailOf(text: string, length: number, from: number): string {
  if (length <= 0) return ''
  const slice = text.slice(Math.max(from, text.length - length))
  const space = slice.slice(0, reach).search(/\s/)
  return wellCut(space === -1 ? slice : slice.slice(space)).trimStart()
}

/** A cut may have split a surrogate pair: the halves would become U+FFFD on disk. */
function wellCut(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}
