import { isAlphanumeric } from '../char-code.ts'
import { isNoWord } from '../rules/word-likeness.ts'

/**
 * Whether words, counts and short names of a log may equal a value by chance. It is replaced wherever a redactor finds
 * it, but not elsewhere: shorter than 8 characters, only lower case letters and fewer than 12, a number of fewer than
 * 12 digits, or one character over and over.
 */
export function isCommonValue(value: string): boolean {
  if (value.length < 8 || /^(.)\1*$/s.test(value)) return true
  return value.length < 12 && (/^[a-z]+$/.test(value) || /^[\d., -]+$/.test(value))
}

/**
 * Whether a value looks like a word or a name (`Password123`, `my-service`, `/srv/app`): up to 24 characters of words
 * joined by signs, with at most 4 digits at the end. Elsewhere it is replaced as a whole word only, and not at all if
 * the log uses it as a name (see {@link nameUses}).
 */
export function mayBeName(value: string): boolean {
  if (value.length >= 12 && /^[A-Za-z]+\d{0,4}$/.test(value) && isNoWord(value.replace(/\d+$/, '')))
    return false
  return value.length <= 24 && /^[./@~]{0,2}[A-Za-z]+(?:[-_./: @][A-Za-z]+)*[-_]?\d{0,4}$/.test(value)
}

/**
 * Number of uses in places where no redactor found it after which a word is a name of this log rather than a secret.
 */
export const nameUses = 20

/** Whether no letter or digit touches either side of a part of a text, not counting escapes (`\n`, `%20`). */
export function isWholeWord(text: string, start: number, end: number): boolean {
  if (end < text.length && isAlphanumeric(text.charCodeAt(end))) return false
  if (start === 0 || !isAlphanumeric(text.charCodeAt(start - 1))) return true
  return text[start - 2] === '\\' || text[start - 3] === '%'
}
