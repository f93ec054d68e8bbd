import { copyText } from '../session/copy-text.ts'

/** Longer pieces (UTF-16 units) are counted again each time: words recur, long pieces do not. */
const maxKeptLength = 32

/** Number of slots, a power of 2: at most some 12 MB, no matter what is counted. */
const places = 2 ** 17

/** V8 copies slices up to this length; a longer slice keeps its whole text in memory. */
const copiedSlice = 12

/**
 * Remembers the results of `countPiece` for short pieces: each hash has one slot, and the newer piece takes it. Looks
 * up a piece inside its text, without cutting it out. `countPiece` must return less than 256 for a piece of 32 units.
 */
export function memoizePieces(
  countPiece: (piece: string) => number,
): (text: string, start: number, end: number) => number {
  const pieces: string[] = new Array(places).fill('')
  const counts = new Uint8Array(places)

  return (text, start, end) => {
    if (end - start > maxKeptLength) return countPiece(text.slice(start, end))
    const place = placeOf(text, start, end)
    if (!isAt(pieces[place]!, text, start, end)) {
      const piece = text.slice(start, end)
      counts[place] = countPiece(piece)
      pieces[place] = piece.length <= copiedSlice ? piece : copyText(piece)
    }
    return counts[place]!
  }
}

function placeOf(text: string, start: number, end: number): number {
  let hash = end - start
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1)
  return (hash ^ (hash >>> 15)) & (places - 1)
}

function isAt(piece: string, text: string, start: number, end: number): boolean {
  if (piece.length !== end - start) return false
  for (let i = start; i < end; i++) if (piece.charCodeAt(i - start) !== text.charCodeAt(i)) return false
  return true
}
