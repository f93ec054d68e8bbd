import { type EncodingName, readEncodingFile } from './encoding-file.ts'

/** The parts of an encoding that counting needs. Tokens are byte strings: one UTF-16 unit (0-255) a byte. */
export interface Encoding {
  /** Sticky; finds the next piece of a text. The pieces cover every text without gaps. */
  readonly pattern: RegExp
  /** Rank of every token; a lower rank is merged first. */
  readonly ranks: ReadonlyMap<string, number>
}

const loaded = new Map<EncodingName, Encoding>()

/** Loads the encoding from tiktoken's own data at the first call (0.1-0.3 s, some 60 MB) and keeps it. */
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
    const [, first, ...tokens] = line.split(' ')
    let rank = Number(first)
    for (const token of tokens) ranks.set(atob(token), rank++)
  }
  return ranks
}
