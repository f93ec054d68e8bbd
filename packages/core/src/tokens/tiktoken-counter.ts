import { TenfoldError } from '../errors.ts'
import { asciiPieceEnd } from './ascii-piece.ts'
import { countMerged } from './bpe-merge.ts'
import { type Encoding, loadEncoding } from './encoding.ts'
import type { EncodingName } from './encoding-bytes.ts'
import { memoizePieces } from './piece-memo.ts'
import type { TokenCounter } from './token-counter.ts'

/** The encoding that tokens are counted with by default. */
export const defaultEncoding: EncodingName = 'o200k_base'

const encodings: readonly EncodingName[] = ['o200k_base', 'cl100k_base']

/**
 * A longer piece (UTF-16 units) is counted in parts, so the count may be off by a few tokens. tiktoken itself fails on
 * a piece of 1 M, and V8's regex stack (64 MB) ends at 4 M units.
 */
const maxPieceLength = 2 ** 21

/**
 * Counts exactly as tiktoken's `encode_ordinary`, in plain JavaScript and in nearly linear time. Only characters that
 * Node's or tiktoken's Unicode version does not know yet may be split differently. Loads the encoding at the first
 * count. Throws TenfoldError `unknown-encoding`.
 */
export function tiktokenCounter(encoding: EncodingName = defaultEncoding): TokenCounter {
  if (!encodings.includes(encoding)) {
    throw new TenfoldError('unknown-encoding', `expected one of ${encodings.join(', ')}, got ${encoding}`)
  }
  // Made at the first count, since its memory takes a while to fill.
  let countPart: ReturnType<typeof memoizePieces> | undefined
  const count = (text: string): number => {
    countPart ??= memoizePieces((piece) => countPiece(piece, loadEncoding(encoding).ranks))
    const { pattern, splitsCase } = loadEncoding(encoding)
    let tokens = 0
    let start = 0
    while (start < text.length) {
      const end = pieceEnd(text, start, pattern, splitsCase)
      while (start < end) {
        const cut = end - start <= maxPieceLength ? end : partEnd(text, start)
        tokens += countPart(text, start, cut)
        start = cut
      }
    }
    return tokens
  }
  return {
    name: encoding,
    recipe: { name: 'tiktokenCounter', args: [encoding] },
    // No piece of either encoding crosses such a cut.
    linesAddUp: true,
    count,
  }
}

function pieceEnd(text: string, start: number, pattern: RegExp, splitsCase: boolean): number {
  const known = asciiPieceEnd(text, start, splitsCase)
  if (known !== -1) return known
  try {
    pattern.lastIndex = start
    return pattern.test(text) ? pattern.lastIndex : text.length
  } catch (error) {
    // V8's regex stack is full, so the piece, or the run it was tried on, is longer than the limit.
    if (!(error instanceof RangeError)) throw error
    return Math.min(text.length, partEnd(text, start))
  }
}

/** Never inside a surrogate pair. */
function partEnd(text: string, start: number): number {
  const end = start + maxPieceLength
  const cutsPair = (text.charCodeAt(end) & 0xfc00) === 0xdc00
  return cutsPair ? end - 1 : end
}

function countPiece(piece: string, ranks: Encoding['ranks']): number {
  // As UTF-8, which turns lone surrogates into U+FFFD as tiktoken does.
  const bytes = isAscii(piece) ? piece : Buffer.from(piece, 'utf8').toString('latin1')
  return ranks.rankOf(bytes, 0, bytes.length) !== -1 ? 1 : countMerged(bytes, ranks)
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false
  return true
}
