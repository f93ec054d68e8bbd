import { randomInt } from 'node:crypto'

/** A set of texts in 16 to 32 bytes each, however long they are. */
export interface TextSet {
  /** Adds a text; `false` if it was in the set before. */
  add(text: string): boolean
  has(text: string): boolean
  readonly size: number
}

/**
 * Makes an empty set. It holds 64 bits of a hash of each text: of a million texts two are taken for one in one set of thirty
 * million. The hash starts from random numbers, so that nobody can choose texts that meet.
 */
export function createTextSet(): TextSet {
  const seeds = [randomInt(2 ** 32), randomInt(2 ** 32)] as const
  let slots = new Uint32Array(2 * 16)
  let size = 0
  // Both halves of the hash of the text in hand; an empty slot holds zeros.
  let low = 0
  let high = 0

  // https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js (public domain), all 64 bits of it.
  function hash(text: string): void {
    let [a, b] = seeds
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      a = Math.imul(a ^ unit, 0x85ebca77)
      b = Math.imul(b ^ unit, 0xc2b2ae3d)
    }
    a ^= Math.imul(a ^ (b >>> 15), 0x735a2d97)
    b ^= Math.imul(b ^ (a >>> 15), 0xcaf649a9)
    a ^= b >>> 16
    b ^= a >>> 16
    low = a >>> 0 || 1
    high = b >>> 0
  }

  /** The slot that holds the hash in hand, or the empty one where it belongs. */
  function slotOf(table: Uint32Array): number {
    const last = table.length - 1
    let slot = (low * 2) & last
    while (table[slot] !== 0 && (table[slot] !== low || table[slot + 1] !== high)) slot = (slot + 2) & last
    return slot
  }

  function put(table: Uint32Array): void {
    const slot = slotOf(table)
    table[slot] = low
    table[slot + 1] = high
  }

  function grow(): void {
    const larger = new Uint32Array(slots.length * 2)
    for (let slot = 0; slot < slots.length; slot += 2) {
      low = slots[slot] as number
      high = slots[slot + 1] as number
      if (low !== 0) put(larger)
    }
    slots = larger
  }

  return {
    add(text) {
      // Below half full, chains stay short.
      if (size * 4 >= slots.length) grow()
      hash(text)
      if (slots[slotOf(slots)] !== 0) return false
      put(slots)
      size++
      return true
    },
    has(text) {
      hash(text)
      return slots[slotOf(slots)] !== 0
    },
    get size() {
      return size
    },
  }
}
