import type { PackedEncoding } from './packed-encoding.ts'

type Ranks = Pick<PackedEncoding, 'rankOf'>

/** Above this many bytes the heap is faster than the scan. */
const scanLimit = 96

/** Marks a pair that is not a token. */
const none = 0x7fffffff

/**
 * Number of tokens that byte pair encoding gives for one piece, as a byte string (one UTF-16 unit per byte). Merges the
 * pair with the lowest rank, the leftmost on a tie, until no two neighbours form a token. O(n log n).
 */
export function countMerged(bytes: string, ranks: Ranks): number {
  return bytes.length <= scanLimit ? countByScan(bytes, ranks) : countByHeap(bytes, ranks)
}

/** Parts of the piece being scanned: part i is bytes[starts[i]] up to starts[i + 1]. */
const starts = new Int32Array(scanLimit + 1)

/** The rank of parts i and i + 1 together. */
const pairs = new Int32Array(scanLimit)

/** Quadratic but without set-up, because nearly all pieces are a few bytes long. */
function countByScan(bytes: string, ranks: Ranks): number {
  let parts = bytes.length
  const ofBytesAt = bytePairRanks(bytes, ranks)
  for (let i = 0; i <= parts; i++) starts[i] = i
  for (let i = 0; i < parts - 1; i++) pairs[i] = ofBytesAt(i)

  const rankAt = (i: number) => rankOf(ranks, bytes, starts[i]!, starts[i + 2]!)
  while (parts > 1) {
    let best = 0
    for (let i = 1; i < parts - 1; i++) if (pairs[i]! < pairs[best]!) best = i
    if (pairs[best] === none) break
    parts--
    for (let i = best + 1; i <= parts; i++) starts[i] = starts[i + 1]!
    for (let i = best; i < parts - 1; i++) pairs[i] = pairs[i + 1]!
    if (best < parts - 1) pairs[best] = rankAt(best)
    if (best > 0) pairs[best - 1] = rankAt(best - 1)
  }
  return parts
}

const unknown = -1
const rankTables = new WeakMap<Ranks, Int32Array>()

/** Looks up pairs of single bytes, the most common look-up in text without words, without slicing the string. */
function bytePairRanks(bytes: string, ranks: Ranks): (at: number) => number {
  const table = rankTables.get(ranks) ?? new Int32Array(256 * 256).fill(unknown)
  rankTables.set(ranks, table)
  return (at) => {
    const pair = bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1)
    if (table[pair] === unknown) table[pair] = rankOf(ranks, bytes, at, at + 2)
    return table[pair]!
  }
}

function rankOf(ranks: Ranks, bytes: string, start: number, end: number): number {
  const rank = ranks.rankOf(bytes, start, end)
  return rank === -1 ? none : rank
}

/** Uses a linked list of parts, identified by their first byte, and a heap of pairs. Skips outdated pairs. */
function countByHeap(bytes: string, ranks: Ranks): number {
  const length = bytes.length
  const next = new Int32Array(length + 1)
  const previous = new Int32Array(length + 1)
  const pairs = new Int32Array(length + 1).fill(none)
  // A merge removes one entry and adds at most two.
  const heap = createHeap(2 * length)

  const rankPair = (part: number): void => {
    const second = next[part]!
    const rank = second === length ? none : rankOf(ranks, bytes, part, next[second]!)
    pairs[part] = rank
    if (rank !== none) heap.push(rank * positions + part)
  }

  for (let i = 0; i <= length; i++) {
    next[i] = i + 1
    previous[i] = i - 1
  }
  for (let i = 0; i < length; i++) rankPair(i)

  let parts = length
  for (let key = heap.pop(); key !== undefined; key = heap.pop()) {
    const part = key % positions
    if (pairs[part] !== (key - part) / positions) continue
    const merged = next[part]!
    const after = next[merged]!
    next[part] = after
    previous[after] = part
    pairs[merged] = none
    parts--
    rankPair(part)
    if (part > 0) rankPair(previous[part]!)
  }
  return parts
}

/** A heap entry's key is rank * positions + part, which orders by rank, then from the left, and is an exact integer. */
const positions = 2 ** 32

/** Binary heap of numbers, lowest first, in a fixed block of memory. */
function createHeap(capacity: number): { push(key: number): void; pop(): number | undefined } {
  const keys = new Float64Array(capacity)
  let size = 0
  return {
    push(key) {
      let at = size++
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (keys[parent]! <= key) break
        keys[at] = keys[parent]!
        at = parent
      }
      keys[at] = key
    },
    pop() {
      if (size === 0) return undefined
      const lowest = keys[0]
      const key = keys[--size]!
      let at = 0
      for (let child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && keys[child + 1]! < keys[child]!) child++
        if (key <= keys[child]!) break
        keys[at] = keys[child]!
        at = child
      }
      keys[at] = key
      return lowest
    },
  }
}
