import { cutHead, cutTail } from '../session/cut-text.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Cuts a text to at most `maxTokens`, with a mark that says how many tokens are gone: `head […123] tail`. A short rest
 * keeps only its head: two scraps say less than one. Cuts at nearby white space if there is any. Returns '' if not even
 * the mark fits.
 */
export function shorten(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  tokens = counter.count(text),
): string {
  if (tokens <= maxTokens) return text
  let keep = Math.floor((text.length * (maxTokens - markTokens)) / tokens)
  for (let round = 0; round < maxRounds && keep > 0; round++) {
    const first = maxTokens < minForBoth ? keep : Math.ceil(keep * 0.65)
    const head = cutHead(text, first)
    const tail = first === keep ? '' : cutTail(text, keep - first)
    if (head === '' && tail === '') return ''
    const kept = counter.count(head) + counter.count(tail)
    const short = `${head} […${Math.max(1, tokens - kept)}]${tail === '' ? '' : ` ${tail}`}`.trim()
    const size = counter.count(short)
    if (size <= maxTokens) return short
    const share = round < usualRounds ? maxTokens / (size + 1) : 0.5
    keep = Math.min(keep - 1, Math.floor(keep * share))
  }
  return ''
}

/** Rounds that come close to the limit; of a text whose beginning takes more tokens than the rest, half goes at a time. */
const usualRounds = 6
const maxRounds = 12

/** Approximate tokens of the mark itself. */
const markTokens = 4

const minForBoth = 40
