import { isPlaceholder, isReference } from './allow-list.ts'
import { isCodeShape } from './code-shape.ts'
import { algorithm, isStrongPassword } from './secret-value.ts'
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

/** Signs of code; addresses, `name@version` and `name:value`. */
const notMade = /[(){}<>=[\],]|:\/\/|\w:\w|^@|@(?:[\w-]+\.[a-z]|[\^~]?v?\d+(?:\.|$)|[a-f\d]{7,40}$)/

/** Whether a value that may be many things is a secret: letters and digits that form no name, no word and no code. */
export function isMachineMade(whole: string): boolean {
  const value = whole.replace(/={1,2}$/, '')
  if (value.length < 8 || notMade.test(value) || !isTypedPassword(value)) return false
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 10 && /[a-z][A-Z]/.test(value) && isNoWord(value)
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value) || isCodeShape(value, 'bare')) return false
  if (value.length < 24 && algorithm.test(value)) return false
  // The name of a host.
  if (/^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}$/.test(value)) return false
  return isStrongPassword(value) ? wordShare(value) < 0.6 : looksRandom(value, 12)
}
