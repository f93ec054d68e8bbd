import { codeReader } from '@tenfold/tokens/internal'

const readCodes = codeReader()

/** Class of a code unit: 0 if unknown, a separator, half of a surrogate pair, or its lower case. */
const kinds = new Uint16Array(0x10000)
const separator = 1
const surrogate = 2
const letter = /[\p{L}\p{N}_]/u

/** Number of characters of a word that determine `head`, which is equal for words that begin alike. */
export const headLength = 5

/**
 * Visits the words of a text (runs of letters, digits and `_` of all scripts) with a hash of each in lower case and one
 * of its first characters. Reads single characters, because cutting out each word, or matching a pattern of all
 * scripts, takes twenty times as long. A visitor must not read another text, whose codes would replace those of this one.
 */
export function eachWord(
  text: string,
  visit: (hash: number, head: number, start: number, end: number) => void,
): void {
  const codes = readCodes(text)
  let start = -1
  let hash = 0
  let head = 0
  // One step beyond the end, with the 0 there, which is a separator.
  for (let at = 0; at <= text.length; at++) {
    const code = codes[at] as number
    let kind = kinds[code] || kindOf(code)
    if (kind === surrogate) kind = letter.test(characterAt(text, at)) ? code : separator
    if (kind === separator) {
      if (start !== -1) visit(hash, head, start, at)
      start = -1
      continue
    }
    if (start === -1) {
      start = at
      hash = 0
    }
    hash = (Math.imul(hash, 0x01000193) ^ (kind + 0x9e3779b1)) | 0
    if (at - start < headLength) head = hash
  }
}

function kindOf(code: number): number {
  const character = String.fromCharCode(code)
  const isHalf = code >= 0xd800 && code <= 0xdfff
  const kind = isHalf ? surrogate : letter.test(character) ? character.toLowerCase().charCodeAt(0) : separator
  kinds[code] = kind
  return kind
}

function characterAt(text: string, at: number): string {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00
  return String.fromCodePoint(text.codePointAt(isLow && at > 0 ? at - 1 : at) ?? 0)
}
