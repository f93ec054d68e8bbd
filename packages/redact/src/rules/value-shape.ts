import { isChopped, isWordLike, wordShare } from './word-likeness.ts'

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Whether a value is a UUID of any version. */
export function isUuid(value: string): boolean {
  return value.length === 36 && uuid.test(value)
}

/** Number of different characters in a text, counted up to `enough`. */
export function distinctCharacters(value: string, enough = 12): number {
  const seen = new Set<number>()
  for (let index = 0; index < value.length && seen.size < enough; index += 1)
    seen.add(value.charCodeAt(index))
  return seen.size
}

/** One character ten times in a row, or hardly any different characters: `xxxxxxxx`, `0000-0000`. */
export function isRepetitive(value: string): boolean {
  if (value.length >= 12 && distinctCharacters(value) < 5) return true
  let run = 1
  for (let index = 1; index < value.length; index += 1) {
    run = value.charCodeAt(index) === value.charCodeAt(index - 1) ? run + 1 : 1
    if (run >= 24 || (run >= 8 && run * 2 > value.length)) return true
  }
  return false
}

/** The kinds of characters in a value. */
export function characterKinds(value: string): Record<'lower' | 'upper' | 'digit' | 'sign', boolean> {
  return {
    lower: /[a-z]/.test(value),
    upper: /[A-Z]/.test(value),
    digit: /[0-9]/.test(value),
    sign: /[^A-Za-z0-9\s]/.test(value),
  }
}

const tokenAlphabet = /^[A-Za-z0-9+/=_.~:%@!#$^&*?|-]+$/
const hexPair = /^[0-9a-f]{8}:[0-9a-f]{8}$/

/** Digits between letters twice, which is rare in names: `evveltabs8h04j2a`. */
const digitsInside = /^[A-Za-z0-9]*[A-Za-z][0-9]+[A-Za-z]+[0-9]+[A-Za-z][A-Za-z0-9]*$/

/**
 * Whether a value looks machine-made: long enough, of the characters that tokens have, and not made of words.
 * `sha256`-like hex counts; the name next to it decides whether it is a secret.
 */
export function looksRandom(value: string, minLength = 10): boolean {
  if (value.length < minLength || !tokenAlphabet.test(value)) return false
  if (hexPair.test(value)) return true
  if (distinctCharacters(value) < Math.min(8, Math.ceil(value.length / 2.5)) || isRepetitive(value))
    return false
  const kinds = characterKinds(value)
  if (!kinds.lower && !kinds.upper) return false
  if (!kinds.digit && !(kinds.lower && kinds.upper)) return lettersLookRandom(value)
  if (!kinds.digit) return value.length >= 12 && wordShare(value) < (kinds.sign ? 0.25 : 0.35)
  if (value.length >= 14 && digitsInside.test(value)) return wordShare(value) < 0.8
  return wordShare(value) < (value.length >= 16 ? 0.55 : 0.45) || isChopped(value)
}

function lettersLookRandom(value: string): boolean {
  const pieces = value.split(/[^A-Za-z]+/)
  return pieces.some((piece) => piece.length >= 8 && !isWordLike(piece))
}

/** Templates, regular expressions and other code that mixes signs and letters as randomly as chance. */
const codeSigns = /\$\{|\{\{|\(\?|\[\^?\\?[a-zA-Z0]-|\\[dwsbDWSB]|\.\*|%[A-Z_]{3,}%|<%/
/** In a short value these are operators, in a long one they may be chance. */
const operators = /=>|&&|\|\||::|\(\)|\?\.|[!=]==?/

/** Prefixes that vendors and frameworks put before random parts: `django-insecure-`, `sk_live_`. */
const wordsBefore = /^(?:[a-z]{2,12}[-_]){1,3}/

/**
 * Whether the characters of a value were drawn one by one from letters, digits and signs: it changes between them every
 * other character and holds no words. Such a value may begin with any sign, as a path or a variable does.
 */
export function looksDrawn(whole: string): boolean {
  const value = whole.replace(wordsBefore, '')
  if (value.length < 12 || value.length > 512 || codeSigns.test(value)) return false
  if (value.length < 24 && (operators.test(value) || /\$\(/.test(value))) return false
  let changes = 0
  let kinds = 0
  let last = 0
  for (let index = 0; index < value.length; index += 1) {
    const kind = kindOfCode(value.charCodeAt(index))
    if (kind === 0) return false
    kinds |= kind
    if (index > 0 && kind !== last) changes += 1
    last = kind
  }
  const enough = (kinds & 8) === 0 ? kinds === 7 : (kinds & 4) !== 0 || (kinds & 3) === 3
  return (
    enough &&
    changes >= (value.length - 1) * 0.35 &&
    distinctCharacters(value) >= Math.min(12, value.length * 0.6) &&
    wordShare(value) < 0.35 &&
    !isRepetitive(value)
  )
}

/** 1 lower case, 2 upper case, 4 digit, 8 sign; 0 for blanks, quotes and anything outside ASCII. */
function kindOfCode(code: number): number {
  if (code >= 97 && code <= 122) return 1
  if (code >= 65 && code <= 90) return 2
  if (code >= 48 && code <= 57) return 4
  return code > 32 && code < 127 && code !== 34 && code !== 39 && code !== 96 ? 8 : 0
}

// `3a3dbcee`, and ids that begin with a time: `20261122T003711250Z-488883901`, `session-2026-11-22T00-37-3a3dbcee`.
const sessionId = /^(?:[\da-f-]{1,36}|(?:[a-z]{1,20}-)?\d{4}-?\d\d-?\d\dT\d\d-?\d\d[\da-fTZ-]{0,50})$/i

/** Whether a session has an id for its name, outside a cookie. */
export function isSessionId(text: string, start: number, end: number): boolean {
  return (
    sessionId.test(text.slice(start, end)) && !/cookie/i.test(text.slice(Math.max(0, start - 200), start))
  )
}
