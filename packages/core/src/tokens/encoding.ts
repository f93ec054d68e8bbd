import { createRequire } from 'node:module'

/** An encoding that tiktoken ships and this package counts with. */
export type EncodingName = 'o200k_base' | 'cl100k_base'

/** What counting needs of an encoding. Tokens are byte strings: one UTF-16 unit (0-255) a byte. */
export interface Encoding {
  /** Sticky; finds the next piece of a text, and every text is pieces without a gap. */
  readonly pattern: RegExp
  /** Rank of every token; a lower rank is merged first. */
  readonly ranks: ReadonlyMap<string, number>
}

interface EncodingFile {
  readonly pat_str: string
  readonly bpe_ranks: string
}

const require = createRequire(import.meta.url)
const loaded = new Map<EncodingName, Encoding>()

/** The encoding from tiktoken's own data, read at the first call (0.1-0.3 s, some 60 MB) and kept. */
export function loadEncoding(name: EncodingName): Encoding {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const file: EncodingFile = require(`tiktoken/encoders/${name}.json`)
  const encoding = { pattern: toJsPattern(file.pat_str), ranks: parseRanks(file.bpe_ranks) }
  loaded.set(name, encoding)
  return encoding
}

/**
 * A pattern of Rust's regex syntax with the same meaning in JavaScript. `\s` of JavaScript has U+FEFF and lacks U+0085,
 * so it becomes White_Space; `(?i:...)` is not in Node 20, so its letters become classes.
 */
export function toJsPattern(rust: string): RegExp {
  const source = rust
    .replaceAll('\\s', '\\p{White_Space}')
    .replaceAll('\\S', '\\P{White_Space}')
    .replaceAll(/\(\?i:([a-z'|]+)\)/g, (_, body: string) => `(?:${body.replaceAll(/[a-z]/g, anyCase)})`)
  return new RegExp(source, 'uy')
}

/** All that Unicode's simple case folding takes for the letter: U+017F folds to `s` and U+212A to `k`. */
function anyCase(letter: string): string {
  const beyondAscii = letter === 's' ? '\u017f' : letter === 'k' ? '\u212a' : ''
  return `[${letter}${letter.toUpperCase()}${beyondAscii}]`
}

/** Lines of `! first-rank token token ...`, tokens in base64 by rising rank. */
function parseRanks(text: string): Map<string, number> {
  const ranks = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, first, ...tokens] = line.split(' ')
    let rank = Number(first)
    for (const token of tokens) ranks.set(atob(token), rank++)
  }
  return ranks
}
