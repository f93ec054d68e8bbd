import { isWordLike, wordShare } from './word-likeness.ts'

/** `src/a.ts:12`, `src/a.ts:12:export` and `src/a.ts-12-` of grep, `src/a.ts(12,4)` of compilers. */
const placePattern =
  /^[\w.@~+/\\[\]-]{0,400}\w\.[A-Za-z]\w{0,9}(?:[:-]\d{1,7}(?:[:,-]\S{0,200})?|\(\d{1,7}(?:,\d{1,7})?\)[:-]?)$/
/** `0x00000003UL`; a longer one may be a key. */
const number = /^[-+]?(?:0x[0-9a-f_]{1,16}|0b[01_]{1,72})(?:[iu](?:8|16|32|64)|[uln]{1,3})?$/i
/** Fields of strftime: `+%Y-%m-%dT%H:%M:%SZ`, `%M:%S.%6N`. */
const dateFields = /^\+?(?:%[-_0^#]?[A-Za-z]|%\dN|[-:./,TZ _])+$/
/** `yyyy-MM-dd'T'HH:mm:ss`. */
const dateLetters = /^[yMdDYHhmsSaAzZT'./:_,-]{5,40}$/
/** `18342/22109ms`, `~12.5kB`, `1920x1080px`. */
const quantity =
  /^[~<>=+-]{0,2}\d[\d.,_]*(?:[/:x*-]\d[\d.,_]*)*(?:[mnu]?s|secs?|min|[kmgt]?i?b|px|r?em|%|x|fps|[kmg]?hz|tokens?)$/i

const member = /^[!&*~^@#:]?[A-Za-z_$][\w$]{0,60}[!?]?(?:(?:\.|->|::)[A-Za-z_$][\w$]{0,60}[!?]?){1,12}$/
const nameInMember = /[A-Za-z_$][\w$]*/g
/** Signs that only code has between names. */
const access = /\?\.|!\.|->|::/

/** Place of a value: bare, in a position for code; in quotes; or typed freely, as people type passwords. */
export type ValuePlace = 'bare' | 'quoted' | 'typed'

/**
 * Whether a value is a name, a place, a number, a format or words, as code and logs have next to the name of a secret.
 */
export function isCodeShape(whole: string, place: ValuePlace): boolean {
  // A parameter with its type ends so in a list: `private_key: ed25519.PrivateKey,`.
  const value = place === 'bare' ? whole.replace(/[,;]$/, '') : whole
  if (isLiteral(value) || isForeignWords(value) || isAddress(value)) return true
  if (place === 'typed') return access.test(value) && isMember(value)
  if (place === 'bare' && member.test(value) && (access.test(value) || hasLongWord(value))) return true
  return quantity.test(value) || isSnakeName(value) || isMember(value)
}

/** What a framework checks: `required|string|min:8`. */
const checks = /^[a-z_]+(?:\|[a-z_]+(?::[\w,.]+)?)+$/

function isLiteral(value: string): boolean {
  if (checks.test(value) || placePattern.test(value) || number.test(value)) return true
  if (/%.+%/.test(value) && dateFields.test(value)) return true
  return /yyyy|YYYY|HH|hh/.test(value) && dateLetters.test(value)
}

/** `user?.profile.name2`, `self->id`, `Auth::Token`: all parts read as names. */
function isMember(value: string): boolean {
  if (!member.test(value)) return false
  const names = value.match(nameInMember) ?? []
  return names.some((name) => name.length > 4) && names.every((name) => name.length <= 4 || readsAsName(name))
}

function hasLongWord(value: string): boolean {
  return (value.match(/[A-Z]?[a-z]{5,}/g) ?? []).some(isWordLike)
}

const snake =
  /^[_$]{0,2}(?:[a-z]+\d{0,5}(?:_(?:[a-z]+\d{0,5}|\d{1,4}))+|[A-Z]+\d{0,5}(?:_(?:[A-Z]+\d{0,5}|\d{1,4}))+)[_$?!]{0,2}$/

/** Words in one case joined by `_`, each with a short number at most: `http_error_401`, `TLS_AES_128_GCM`. */
function isSnakeName(value: string): boolean {
  if (value.length > 60 || !snake.test(value)) return false
  const parts = value.split('_').filter((part) => /\w/.test(part))
  return (
    parts.length >= 3 ||
    parts.some((part) => /^[A-Za-z]{4}/.test(part) && isWordLike(part.replace(/\d+$/, '')))
  )
}

function readsAsName(name: string): boolean {
  return isSnakeName(name) || wordShare(name) >= 0.6
}

const sentence = /^[\p{L}\p{M}\s.,:;!?'’"“”«»()¡¿…。、，：；！？（）「」-]+$/u

/** A page without anything that may be a secret in it: `https://tools.example/html/rfc6749#section-3.2`. */
function isAddress(value: string): boolean {
  return /^https?:\/\/[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}(?:\/[\w.-]{0,20}){1,8}(?:#[\w.-]{0,30})?$/.test(value)
}

const denseLetter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Words of a language that needs more than ASCII, as in labels and messages. */
function isForeignWords(value: string): boolean {
  if (!/[^\u0000-\u007f]/.test(value)) return false
  if (sentence.test(value)) return true
  // A sentence of a script without spaces has no blank that would end the value; tags and numbers may be in it.
  const letters = value.match(denseLetter)?.length ?? 0
  return letters >= 8 && letters * 5 >= value.length * 2
}
