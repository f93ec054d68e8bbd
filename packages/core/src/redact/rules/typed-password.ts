import { isPlaceholder, isReference } from './allow-list.ts'
import { isCodeShape } from './code-shape.ts'
import { isStrongPassword } from './secret-value.ts'
import { looksDrawn, looksRandom } from './value-shape.ts'
import { isNoWord, wordShare } from './word-likeness.ts'

/** Whether a value where only a password can be is one, rather than a variable, an example or a name in code. */
export function isTypedPassword(value: string): boolean {
  if (value.length < 4 || value.length > 512 || /\s/.test(value)) return false
  if (looksDrawn(value) && !isCodeShape(value, 'typed')) return true
  if (isReference(value) || isPlaceholder(value) || isCodeShape(value, 'typed')) return false
  if (/^[-/~]|^\.{1,2}\/|:\/\//.test(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 8
  if (isStrongPassword(value) || looksRandom(value, 8)) return true
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 6 && isNoWord(value)
  return /\d/.test(value) ? value.length >= 6 && !/[(){}[\]]/.test(value) : wordShare(value) < 0.6
}
