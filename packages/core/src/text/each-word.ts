import { codeReader } from '@tenfold/tokens/internal'

/** Class of a code unit: 0 if unknown, a separator, half of a surrogate pair, or its lower case. */
const kinds = new Uint16Array(0x10000)
const separator = 1
const surrogate = 2
const letter = /[\p{L}\p{N}_]/uy
const readCodes = codeReader()

/** Number of characters of a word that determine `head`, which is equal for words that begin alike. */
export const headLength = 5

/**
 * Visits the words of a text (runs of letters, digits and `_` of all scripts) with a hash of each in lower case and one
 * of its first characters. Reads codes, because cutting out each word, or matching a pattern of all scripts, takes many
 * times as long. `visit` may not read the words of another text.
 */
export function eachWord(
  text: string,
  visit: (hash: number, head: number, start: number, end: number) => void,
): void {
  const codes = readCodes(text)
  let [start, hash, head] = [-1, 0, 0]
  // A 0, which separates, follows the codes.
  for (let at = 0; at <= text.length; at++) {
    const code = codes[at] as number
    const known = kinds[code] || kindOf(code)
    const kind = known !== surrogate ? known : isLetter(text, at) ? code : separator
    if (kind === separator) {
      if (start !== -1) visit(hash, head, start, at)
      start = -1
      hash = 0
      continue
    }
    if (start === -1) start = at
    hash = (Math.imul(hash, 0x01000193) ^ (kind + 0x9e3779b1)) | 0
    if (at - start < headLength) head = hash
  }
}

function kindOf(code: number): number {
  const character = String.fromCharCode(code)
  const own = isLetter(character, 0) ? character.toLowerCase().charCodeAt(0) : separator
  kinds[code] = code >= 0xd800 && code <= 0xdfff ? surrogate : own
  return kinds[code] as number
}

/** Whether the character at an offset, or the one that has its second half there, is a letter. */
function isLetter(text: string, at: number): boolean {
  letter.lastIndex = at
  return letter.test(text)
}
