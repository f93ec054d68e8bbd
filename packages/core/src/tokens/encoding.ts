import { readEncodingFile } from './encoding-file.ts'
import type { EncodingName } from './encoding-url.ts'

/** The parts of an encoding that counting needs. Tokens are byte strings: one UTF-16 unit (0-255) a byte. */
export interface Encoding {
  /** Sticky; finds the next piece of a text. The pieces cover every text without gaps. */
  readonly pattern: RegExp
  /** Rank of every token; a lower rank is merged first. */
  readonly ranks: ReadonlyMap<string, number>
}

const loaded = new Map<EncodingName, Encoding>()

/** Loads the encoding from tiktoken's own data at the first call (0.1-0.2 s, some 60 MB) and keeps it. */
export function loadEncoding(name: EncodingName): Encoding {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const file = readEncodingFile(name)
  const encoding = { pattern: toJsPattern(file.pat_str), ranks: parseRanks(file.bpe_ranks) }
  loaded.set(name, encoding)
  return encoding
}

/**
 * Converts a pattern in Rust's regex syntax to JavaScript with the same meaning. JavaScript's `\s` includes U+FEFF and
 * lacks U+0085, so it becomes White_Space; Node 20 has no `(?i:...)`, so its letters become classes.
 */
export function toJsPattern(rust: string): RegExp {
  const source = rust
    .replaceAll('\\s', '\\p{White_Space}')
    .replaceAll('\\S', '\\P{White_Space}')
    .replaceAll(/\(\?i:([a-z'|]+)\)/g, (_, body: string) => `(?:${body.replaceAll(/[a-z]/g, anyCase)})`)
  return new RegExp(source, 'uy')
}

/** All characters that Unicode's simple case folding maps to the letter: U+017F folds to `s` and U+212A to `k`. */
function anyCase(letter: string): string {
  const beyondAscii = letter === 's' ? '\u017f' : letter === 'k' ? '\u212a' : ''
  return `[${letter}${letter.toUpperCase()}${beyondAscii}]`
}

/** Lines of `! first-rank token token ...`, tokens in base64 by rising rank. */
function parseRanks(text: string): Map<string, number> {
  const ranks = new Map<string, number>()
  for (const line of text.split('\n')) {
    const listed = line.indexOf(' ', 2) + 1
    if (listed === 0) continue
    let rank = Number(line.slice(2, listed))
    const { bytes, ends } = decodeTokens(line, listed)
    let start = 0
    for (const end of ends) {
      ranks.set(bytes.slice(start, end), rank++)
      start = end
    }
  }
  return ranks
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const digitOf = new Uint8Array(128).map((_, code) => Math.max(0, digits.indexOf(String.fromCharCode(code))))
const [space, padding] = [0x20, 0x3d]

/** All tokens of a line, one after the other, with the end of each: decoding each by itself takes half as long again. */
function decodeTokens(line: string, from: number): { readonly bytes: string; readonly ends: number[] } {
  const bytes = Buffer.allocUnsafe(line.length)
  const ends: number[] = []
  let length = 0
  let value = 0
  let bits = 0
  for (let at = from; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === space) {
      ends.push(length)
      bits = 0
    } else if (code !== padding) {
      value = ((value << 6) | (digitOf[code] as number)) & 0xffff
      bits += 6
      if (bits >= 8) {
        bits -= 8
        bytes[length++] = (value >> bits) & 0xff
      }
    }
  }
  ends.push(length)
  return { bytes: bytes.toString('latin1', 0, length), ends }
}
