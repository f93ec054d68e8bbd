/** tiktoken's file of an encoding: the pattern of its pieces, and its tokens by rank. */
export interface EncodingFile {
  readonly pat_str: string
  /** Lines of `! first-rank token token ...`, with tokens in base64 by ascending rank. */
  readonly bpe_ranks: string
}

/** An encoding that needs no parsing: its tokens are looked up in the packed bytes. */
export interface PackedEncoding {
  /** A regular expression in Rust's syntax. */
  readonly pattern: string
  /** Number of tokens. */
  readonly size: number
  /** Rank of the token in a byte string (one UTF-16 unit per byte) from `start` to `end`; -1 if it is not a token. */
  rankOf(bytes: string, start: number, end: number): number
}

// A packed encoding begins with little-endian 32-bit words: the numbers of tokens, of slots and of bytes of the
// pattern; the start of each token and the end of the last one; the slots of the hash table, each 0, or a rank + 1
// below the upper bits of the token's hash. The bytes of all tokens by rank follow, then the pattern.
const headWords = 3
const rankMask = 2 ** 18 - 1

/** Packs an encoding, because parsing tiktoken's form takes some 300 ms and 60 MB. */
export function packEncoding({ pat_str, bpe_ranks }: EncodingFile): Uint8Array {
  const tokens = tokensByRank(bpe_ranks)
  const pattern = Buffer.from(pat_str, 'utf8')
  const slotCount = 2 ** Math.ceil(Math.log2(tokens.length * 1.3))
  const words = new Uint32Array(headWords + tokens.length + 1 + slotCount)
  words.set([tokens.length, slotCount, pattern.length])
  const starts = words.subarray(headWords, headWords + tokens.length + 1)
  const slots = words.subarray(headWords + tokens.length + 1)
  for (const [rank, token] of tokens.entries()) {
    starts[rank + 1] = starts[rank]! + token.length
    const hash = hashOf(token.toString('latin1'), 0, token.length)
    let slot = hash & (slotCount - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1)
    slots[slot] = (hash & ~rankMask) | (rank + 1)
  }
  const head = Buffer.from(words.buffer)
  return Buffer.concat([isLittleEndian ? head : head.swap32(), ...tokens, pattern])
}

/** Opens a packed encoding without copying its bytes. */
export function openPackedEncoding(packed: Uint8Array): PackedEncoding {
  const words = wordsOf(packed)
  const [size = 0, slotCount = 0, patternLength = 0] = words
  const starts = words.subarray(headWords, headWords + size + 1)
  const slots = words.subarray(headWords + size + 1, headWords + size + 1 + slotCount)
  const tokens = packed.subarray((headWords + size + 1 + slotCount) * 4, packed.length - patternLength)
  return {
    pattern: new TextDecoder().decode(packed.subarray(packed.length - patternLength)),
    size,
    rankOf(bytes, start, end) {
      const hash = hashOf(bytes, start, end)
      let slot = hash & (slotCount - 1)
      for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
        if (((entry ^ hash) & ~rankMask) === 0) {
          const rank = (entry & rankMask) - 1
          const from = starts[rank]!
          if (starts[rank + 1]! - from === end - start && isAt(tokens, from, bytes, start, end)) return rank
        }
        slot = (slot + 1) & (slotCount - 1)
      }
      return -1
    },
  }
}

/** All bytes as words, in place on little-endian machines. Only the words before the tokens' bytes are meaningful. */
function wordsOf(packed: Uint8Array): Uint32Array {
  const length = packed.length >> 2
  if (isLittleEndian && packed.byteOffset % 4 === 0)
    return new Uint32Array(packed.buffer, packed.byteOffset, length)
  const copy = Buffer.from(packed.subarray(0, length * 4))
  const bytes = new Uint8Array(isLittleEndian ? copy : copy.swap32())
  return new Uint32Array(bytes.buffer)
}

const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

function hashOf(bytes: string, start: number, end: number): number {
  let hash = end - start
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes.charCodeAt(i), 0x9e3779b1)
  return hash ^ (hash >>> 15)
}

function isAt(tokens: Uint8Array, from: number, bytes: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (tokens[from + i - start] !== bytes.charCodeAt(i)) return false
  return true
}

function tokensByRank(text: string): Buffer[] {
  const tokens: Buffer[] = []
  for (const line of text.split('\n')) {
    const [, first, ...listed] = line.split(' ')
    for (const [index, token] of listed.entries())
      tokens[Number(first) + index] = Buffer.from(token, 'base64')
  }
  return tokens
}
