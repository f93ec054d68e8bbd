import { cutHead, cutTail } from '../session/cut-text.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Cuts a text to at most `maxTokens`, with a mark for the number of tokens removed: `head […123] tail`. A very short
 * result keeps only its head, since one long piece is more useful than two scraps. Cuts at nearby white space. Returns
 * '' if not even the mark fits.
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

/** After the usual rounds, which come close to the limit, each round removes half of the text. */
const usualRounds = 6
const maxRounds = 12

/** Approximate tokens of the mark itself. */
const markTokens = 4

const minForBoth = 40
