import { TenfoldError } from '../errors.ts'
import { asciiPieceEnd } from './ascii-piece.ts'
import { countMerged } from './bpe-merge.ts'
import { type Encoding, type EncodingName, loadEncoding } from './encoding.ts'
import type { TokenCounter } from './token-counter.ts'

const encodings: readonly EncodingName[] = ['o200k_base', 'cl100k_base']

/** Counts are kept for pieces up to this many UTF-16 units: words come back, long pieces do not. */
const memoPieceLength = 32

/** The memo is dropped whole at this many pieces, some 25 MB. A session of 15 MB has under 100,000 different ones. */
const memoSize = 200_000

/**
 * A longer piece (UTF-16 units) is counted in parts, so perhaps a few tokens off. tiktoken itself fails on a piece of
 * 1 M, and V8's regex stack (64 MB) ends at 4 M units.
 */
const longestPiece = 2 ** 21

/**
 * Counts exactly as tiktoken's `encode_ordinary`, in plain JavaScript and in linear time. The encoding is loaded at the
 * first count. Throws TenfoldError `unknown-encoding`.
 */
export function tiktokenCounter(encoding: EncodingName = 'o200k_base'): TokenCounter {
  if (!encodings.includes(encoding)) {
    throw new TenfoldError('unknown-encoding', `expected one of ${encodings.join(', ')}, got ${encoding}`)
  }
  const memo = new Map<string, number>()
  return {
    name: encoding,
    count(text) {
      const { pattern, ranks } = loadEncoding(encoding)
      let tokens = 0
      let start = 0
      while (start < text.length) {
        const end = pieceEnd(text, start, pattern)
        while (start < end) {
          const cut = end - start <= longestPiece ? end : start + longestPartAt(text, start)
          const piece = text.slice(start, cut)
          tokens += memo.get(piece) ?? countNewPiece(piece, ranks, memo)
          start = cut
        }
      }
      return tokens
    },
  }
}

function pieceEnd(text: string, start: number, pattern: RegExp): number {
  const known = asciiPieceEnd(text, start)
  if (known !== -1) return known
  try {
    pattern.lastIndex = start
    return pattern.test(text) ? pattern.lastIndex : text.length
  } catch (error) {
    // V8's regex stack is full, so the piece, or the run it was tried on, is longer than the limit.
    if (!(error instanceof RangeError)) throw error
    return Math.min(text.length, start + longestPartAt(text, start))
  }
}

/** Does not cut a surrogate pair. */
function longestPartAt(text: string, start: number): number {
  const cutsPair = (text.charCodeAt(start + longestPiece) & 0xfc00) === 0xdc00
  return cutsPair ? longestPiece - 1 : longestPiece
}

function countNewPiece(piece: string, ranks: Encoding['ranks'], memo: Map<string, number>): number {
  // Lone surrogates become U+FFFD, as in tiktoken.
  const utf8 = Buffer.from(piece, 'utf8')
  const bytes = utf8.toString('latin1')
  const count = ranks.has(bytes) ? 1 : countMerged(bytes, ranks)
  if (piece.length <= memoPieceLength) {
    if (memo.size >= memoSize) memo.clear()
    // A slice would keep its whole text in memory. ASCII bytes equal the piece; other text is copied.
    const key = utf8.length === piece.length ? bytes : Buffer.from(piece, 'utf16le').toString('utf16le')
    memo.set(key, count)
  }
  return count
}
