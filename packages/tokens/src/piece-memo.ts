/** Pieces longer than this (in UTF-16 units) are not cached, because they rarely recur. */
const maxKeptLength = 32

/** Number of slots. Must be a power of 2. */
const places = 2 ** 17

/** Maximum characters of all cached pieces. At the limit, the cache is cleared. */
const maxKept = 2 ** 20

/**
 * Caches the results of `countPiece` for short pieces. Each hash has one slot, which the newer piece takes. Looks up a
 * piece inside its text, which is also given as character codes, without slicing it. `countPiece` must return less than
 * 256 for a piece of 32 units. Uses at most 3 MB.
 */
export function memoizePieces(
  countPiece: (piece: string) => number,
): (text: string, codes: Uint16Array, start: number, end: number) => number {
  const kept = new Uint16Array(maxKept)
  const starts = new Uint32Array(places)
  const lengths = new Uint8Array(places)
  const counts = new Uint8Array(places)
  let used = 0

  const isAt = (place: number, codes: Uint16Array, start: number, length: number): boolean => {
    if (lengths[place] !== length) return false
    const from = starts[place]!
    for (let i = 0; i < length; i++) if (kept[from + i] !== codes[start + i]) return false
    return true
  }

  const keep = (place: number, codes: Uint16Array, start: number, length: number): void => {
    if (used + length > maxKept) {
      lengths.fill(0)
      used = 0
    }
    for (let i = 0; i < length; i++) kept[used + i] = codes[start + i]!
    starts[place] = used
    lengths[place] = length
    used += length
  }

  return (text, codes, start, end) => {
    const length = end - start
    if (length > maxKeptLength) return countPiece(text.slice(start, end))
    const place = placeOf(codes, start, end)
    if (!isAt(place, codes, start, length)) {
      counts[place] = countPiece(text.slice(start, end))
      keep(place, codes, start, length)
    }
    return counts[place]!
  }
}

function placeOf(codes: Uint16Array, start: number, end: number): number {
  let hash = end - start
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ codes[i]!, 0x9e3779b1)
  return (hash ^ (hash >>> 15)) & (places - 1)
}
