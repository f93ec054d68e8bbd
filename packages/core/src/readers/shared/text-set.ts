import { hash, randomUUID } from 'node:crypto'

/** A set of texts that takes 16 to 32 bytes for each, no matter how long the text is. */
export interface TextSet {
  /** Adds a text; `false` if it was in the set before. */
  add(text: string): boolean
  has(text: string): boolean
  readonly size: number
}

/**
 * Makes an empty set. It holds 64 bits of a hash of each text: among a million texts, two are confused in one of thirty
 * million sets. The hash is salted, so that nobody can choose texts that collide.
 */
export function createTextSet(): TextSet {
  const salt = randomUUID()
  let slots = new Uint32Array(2 * 16)
  let size = 0
  // Both halves of the hash of the current text; an empty slot holds zeros.
  let low = 0
  let high = 0

  function hashOf(text: string): void {
    const digest = hash('sha1', salt + text, 'buffer')
    low = digest.readUInt32LE(0) || 1
    high = digest.readUInt32LE(4)
  }

  /** The slot that holds the current hash, or the empty one for it. */
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
      hashOf(text)
      if (slots[slotOf(slots)] !== 0) return false
      put(slots)
      size++
      return true
    },
    has(text) {
      hashOf(text)
      return slots[slotOf(slots)] !== 0
    },
    get size() {
      return size
    },
  }
}
