/** A hash of 64 bits, as two halves. */
export interface Hash64 {
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
