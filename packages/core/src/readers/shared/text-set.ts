import { hash, randomBytes } from 'node:crypto'

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
  const hashOf = saltedHash()
  // Both halves of each hash; an empty slot holds zeros, so the low half is never 0.
  let slots = new Uint32Array(2 * 16)
  let size = 0

  function grow(): void {
    const larger = new Uint32Array(slots.length * 2)
    for (let slot = 0; slot < slots.length; slot += 2) {
      const low = slots[slot] as number
      const high = slots[slot + 1] as number
      if (low === 0) continue
      const place = slotOf(larger, low, high)
      larger[place] = low
      larger[place + 1] = high
    }
    slots = larger
  }

  return {
    add(text) {
      // Below half full, chains stay short.
      if (size * 4 >= slots.length) grow()
      const { low, high } = hashOf(text)
      const slot = slotOf(slots, low, high)
      if (slots[slot] !== 0) return false
      slots[slot] = low
      slots[slot + 1] = high
      size++
      return true
    },
    has(text) {
      const { low, high } = hashOf(text)
      return slots[slotOf(slots, low, high)] !== 0
    },
    get size() {
      return size
    },
  }
}

/** The slot of the table that holds a hash, or the empty one for it. */
function slotOf(table: Uint32Array, low: number, high: number): number {
  const last = table.length - 1
  let slot = (low * 2) & last
  while (table[slot] !== 0 && (table[slot] !== low || table[slot + 1] !== high)) slot = (slot + 2) & last
  return slot
}

/** Native code is faster only for longer texts: a call of it costs as much as 150 characters. */
const shortText = 150

function saltedHash(): (text: string) => Hash64 {
  const random = randomBytes(24)
  const salt = random.toString('base64', 8)
  const key0 = random.readInt32LE(0)
  const key1 = random.readInt32LE(4)
  return (text) => {
    const { low, high } =
      text.length <= shortText ? halfSipHash(text, key0, key1) : start(hash('sha1', salt + text, 'buffer'))
    return { low: low || 1, high }
  }
}

function start(digest: Buffer): Hash64 {
  return { low: digest.readUInt32LE(0), high: digest.readUInt32LE(4) }
}

/** A hash of 64 bits, as two halves. */
interface Hash64 {
  readonly low: number
  readonly high: number
}

const finalRounds = 3

/**
 * HalfSipHash-1-3 of a text's UTF-16 code units, two in a word: who does not know the key cannot choose texts that
 * collide. https://github.com/veorq/SipHash
 */
export function halfSipHash(text: string, key0: number, key1: number): Hash64 {
  const { length } = text
  const words = (length >>> 1) + 1
  let v0 = key0
  let v1 = key1 ^ 0xee
  let v2 = key0 ^ 0x6c796765
  let v3 = key1 ^ 0x74656462
  let word = 0
  let low = 0
  for (let round = 0; round < words + 2 * finalRounds; round++) {
    if (round < words) {
      const at = 2 * round
      word =
        at + 1 < length
          ? text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
          : (length << 25) | (at < length ? text.charCodeAt(at) : 0)
      v3 ^= word
    } else if (round === words) v2 ^= 0xee
    else if (round === words + finalRounds) {
      low = (v1 ^ v3) >>> 0
      v1 ^= 0xdd
    }
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    if (round < words) v0 ^= word
  }
  return { low, high: (v1 ^ v3) >>> 0 }
}
