import { isWordLike, wordShare } from './word-likeness.ts'

/** `src/a.ts:12`, `src/a.ts:12:export` and `src/a.ts-12-` of grep, `src/a.ts(12,4)` of compilers. */
const PLACE =
  /^[\w.@~+/\\[\]-]{0,400}\w\.[A-Za-z]\w{0,9}(?:[:-]\d{1,7}(?:[:,-]\S{0,200})?|\(\d{1,7}(?:,\d{1,7})?\)[:-]?)$/
/** `0x00000003UL`; a longer one may be a key. */
const NUMBER = /^[-+]?(?:0x[0-9a-f_]{1,16}|0b[01_]{1,72})(?:[iu](?:8|16|32|64)|[uln]{1,3})?$/i
/** Fields of strftime: `+%Y-%m-%dT%H:%M:%SZ`, `%M:%S.%6N`. */
const DATE_FIELDS = /^\+?(?:%[-_0^#]?[A-Za-z]|%\dN|[-:./,TZ _])+$/
/** `yyyy-MM-dd'T'HH:mm:ss`. */
const DATE_LETTERS = /^[yMdDYHhmsSaAzZT'./:_,-]{5,40}$/
/** `18342/22109ms`, `~12.5kB`, `1920x1080px`. */
const QUANTITY =
  /^[~<>=+-]{0,2}\d[\d.,_]*(?:[/:x*-]\d[\d.,_]*)*(?:[mnu]?s|secs?|min|[kmgt]?i?b|px|r?em|%|x|fps|[kmg]?hz|tokens?)$/i

/** Whether a value is a place in a file, a number of a program, or the format of a date. */
export function isCodeLiteral(value: string): boolean {
  if (PLACE.test(value) || NUMBER.test(value)) return true
  if (/%.+%/.test(value) && DATE_FIELDS.test(value)) return true
  return /yyyy|YYYY|HH|hh/.test(value) && DATE_LETTERS.test(value)
}

/** Whether a value is a number and its unit. */
export function isQuantity(value: string): boolean {
  return QUANTITY.test(value)
}

const MEMBER = /^[!&*~^@#:]?[A-Za-z_$][\w$]{0,60}[!?]?(?:(?:\.|->|::)[A-Za-z_$][\w$]{0,60}[!?]?){1,12}$/
const NAME_IN_MEMBER = /[A-Za-z_$][\w$]*/g

/**
 * Whether a value reads a property or names a part of a module: `user?.profile.name2`, `self->id`, `Auth::Token`. In
 * quotes, where no code stands, each part must read as a name.
 */
export function isMember(value: string, quoted: boolean): boolean {
  if (!MEMBER.test(value)) return false
  const names = value.match(NAME_IN_MEMBER) ?? []
  if (!quoted && names.some(hasLongWord)) return true
  return names.some((name) => name.length > 4) && names.every((name) => name.length <= 4 || readsAsName(name))
}

function hasLongWord(name: string): boolean {
  return (name.match(/[A-Z]?[a-z]{5,}/g) ?? []).some(isWordLike)
}

const SNAKE =
  /^[_$]{0,2}(?:[a-z]+\d{0,5}(?:_(?:[a-z]+\d{0,5}|\d{1,4}))+|[A-Z]+\d{0,5}(?:_(?:[A-Z]+\d{0,5}|\d{1,4}))+)[_$?!]{0,2}$/

/** Whether a value is words in one case joined by `_`, each with a short number at most: `http_error_401`, `TLS_AES_128_GCM`. */
export function isSnakeName(value: string): boolean {
  if (value.length > 60 || !SNAKE.test(value)) return false
  const words = value.match(/[A-Za-z]+/g) ?? []
  return words.length >= 3 || words.some((word) => word.length >= 4 && isWordLike(word))
}

function readsAsName(name: string): boolean {
  return isSnakeName(name) || wordShare(name) >= 0.6
}

const SENTENCE = /^[\p{L}\p{M}\s.,:;!?'’"“”«»()¡¿…。、，：；！？（）「」-]+$/u

/** Whether a value is words of a language that needs more than ASCII, as labels and messages are. */
export function isForeignWords(value: string): boolean {
  return /[^\u0000-\u007f]/.test(value) && SENTENCE.test(value)
}
