import { type EncodingName, readEncodingBytes } from './encoding-bytes.ts'
import { EncodingError } from './encoding-error.ts'
import { openPackedEncoding, type PackedEncoding } from './packed-encoding.ts'

/** The parts of an encoding that counting needs. */
export interface Encoding {
  /** A sticky pattern for the next piece. Pieces cover every text without gaps. Compiled at first use. */
  readonly pattern: RegExp
  /** Whether a piece ends between a lower case and an upper case letter. */
  readonly splitsCase: boolean
  /** Finds the rank of every token; a lower rank is merged first. */
  readonly ranks: Pick<PackedEncoding, 'rankOf' | 'size'>
}

const loaded = new Map<EncodingName, Encoding>()

/** Loads the encoding at the first call and caches it. */
export function loadEncoding(name: EncodingName): Encoding {
  const known = loaded.get(name)
  if (known !== undefined) return known
  const ranks = openPackedEncoding(readEncodingFile(name))
  const splitsCase = ranks.pattern.includes('\\p{Lu}')
  let pattern: RegExp | undefined
  const encoding = {
    get pattern() {
      pattern ??= toJsPattern(ranks.pattern)
      return pattern
    },
    splitsCase,
    ranks,
  }
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

/** Reads the file of an encoding. Throws EncodingError `no-encoding-file`. */
function readEncodingFile(name: EncodingName): Uint8Array {
  // Not imported, because browsers load this code too, with another counter.
  const fs = (globalThis.process as NodeJS.Process | undefined)?.getBuiltinModule?.('node:fs')
  if (fs === undefined) {
    throw new EncodingError(
      'no-encoding-file',
      'encodings are read from files, which needs Node; pass your own counter',
    )
  }
  try {
    return readEncodingBytes(name, fs)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new EncodingError(
      'no-encoding-file',
      `the file ${name}.bin is missing next to the program, as happens after bundling: copy it there from the folder lib of @tenfold/tokens, or leave that package out of the bundle`,
      { cause },
    )
  }
}
