import { countMerged } from './bpe-merge.ts'
import { codeReader } from './code-reader.ts'
import { type Encoding, loadEncoding } from './encoding.ts'
import type { EncodingName } from './encoding-bytes.ts'
import { EncodingError } from './encoding-error.ts'
import { beginsPiece } from './line-memo.ts'
import { pieceEnd } from './piece-end.ts'
import { memoizePieces } from './piece-memo.ts'
import type { TokenCounter } from './token-counter.ts'

/** The encoding that tokens are counted with by default. */
export const defaultEncoding: EncodingName = 'o200k_base'

const encodings: readonly EncodingName[] = ['o200k_base', 'cl100k_base']

/**
 * Longer pieces (in UTF-16 units) are counted in parts, so the count may be off by a few tokens. tiktoken itself fails
 * on a piece of 1 M units, and V8's regex stack (64 MB) is exhausted at 4 M units.
 */
const maxPieceLength = 2 ** 21

/** Longer texts are counted in chunks of at least this length (in UTF-16 units), to bound the copy of their codes. */
const chunkLength = 2 ** 16

/**
 * Counts exactly like tiktoken's `encode_ordinary`, in plain JavaScript and nearly linear time. Only characters that
 * are not yet in Node's or tiktoken's Unicode version may be split differently. Loads the encoding at the first count.
 * Throws EncodingError `unknown-encoding`.
 */
export function tiktokenCounter(encoding: EncodingName = defaultEncoding): TokenCounter {
  if (!encodings.includes(encoding)) {
    throw new EncodingError('unknown-encoding', `expected one of ${encodings.join(', ')}, got ${encoding}`)
  }
  // Made at the first count, because filling their memory takes time.
  let readCodes: ReturnType<typeof codeReader> | undefined
  let countPart: ReturnType<typeof memoizePieces> | undefined
  const countChunk = (text: string): number => {
    const own = loadEncoding(encoding)
    readCodes ??= codeReader()
    countPart ??= memoizePieces((piece) => countPiece(piece, own.ranks))
    const codes = readCodes(text)
    let tokens = 0
    let start = 0
    while (start < text.length) {
      const known = pieceEnd(codes, text.length, start, own.splitsCase)
      const end = known === -1 ? patternEnd(text, start, own.pattern) : known
      while (start < end) {
        const cut = end - start <= maxPieceLength ? end : partEnd(text, start)
        tokens += countPart(text, codes, start, cut)
        start = cut
      }
    }
    return tokens
  }
  const count = (text: string): number => {
    if (text.length <= chunkLength) return countChunk(text)
    let tokens = 0
    for (let start = 0; start < text.length; ) {
      const end = chunkEnd(text, start)
      tokens += countChunk(text.slice(start, end))
      start = end
    }
    return tokens
  }
  return {
    name: encoding,
    // No piece of either encoding crosses such a line break.
    linesAddUp: true,
    count,
  }
}

/** End of a chunk of a long text that no piece crosses: after a line break, before a character that begins a piece. */
function chunkEnd(text: string, start: number): number {
  const from = start + chunkLength
  for (let end = text.indexOf('\n', from) + 1; end !== 0; end = text.indexOf('\n', end) + 1)
    if (beginsPiece(text.charCodeAt(end))) return end
  return text.length
}

function patternEnd(text: string, start: number, pattern: RegExp): number {
  try {
    pattern.lastIndex = start
    return pattern.test(text) ? pattern.lastIndex : text.length
  } catch (error) {
    // V8's regex stack overflowed, so the piece, or the run tried for it, is longer than the limit.
    if (!(error instanceof RangeError)) throw error
    return Math.min(text.length, partEnd(text, start))
  }
}

/** End of a part of a long piece, never inside a surrogate pair. */
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
