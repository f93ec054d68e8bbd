import { isPlaceholder, isReference, isSequential, jargon } from './allow-list.ts'
import { isCodeShape } from './code-shape.ts'
import { classifyName, type SecretKind, type SecretName } from './secret-names.ts'
import { characterKinds, distinctCharacters, isUuid, looksDrawn, looksRandom } from './value-shape.ts'
import { isNoWord, isWordLike, wordShare } from './word-likeness.ts'

/**
 * How a value is written next to its name, from sure to doubtful: `quoted`; `setting` (`NAME=value`, `--flag value`);
 * `colon` (`name: value`); `code` (`name = value` without quotes, which may be a variable); `prose`.
 */
export type ValueSetting = 'quoted' | 'setting' | 'colon' | 'code' | 'prose'

/** Paths, addresses, digests, dates, calls and names in code. */
const notASecret =
  /^(?:\.{0,2}\/[\w.-]+(?:\/|$)|~\/|[A-Za-z]:\\|(?:urn|data|unix):|[a-z][a-z0-9+.-]{1,20}:\/\/|sha(?:1|256|384|512)[-:]|md5[-:]|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|@[a-z])|^[\w.]+\(|\)$|^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][A-Za-z_$]+)+$/i

/** The end of the name of a file. */
const fileEnd =
  /\.(?:json|ya?ml|pem|key|pub|txt|[cm]?[jt]sx?|py|go|rb|md|html?|php|java|kt|rs|cs|crt|cer|env|sh|toml|ini|cfg|conf|lock|png|svg|log|xml|sql|csv|map|wasm|s?css|woff2?|ttf|gif|jpe?g|webp|ico|t?gz|zip|pdf|jar|vue|svelte)$/i

/** Whether a value names something that is elsewhere. */
function isFileOrAddress(value: string): boolean {
  return fileEnd.test(value) || (notASecret.test(value) && !looksDrawn(value))
}

/** Whether a value next to a name is a secret. */
export function isSecretValue({ kind, isVague }: SecretName, value: string, setting: ValueSetting): boolean {
  if (kind === 'code') return isCode(value) || (value.length >= 24 && looksRandom(value, 24))
  if ((kind === 'password' || kind === 'secret') && isChosen(value, isVague === true ? 'code' : setting))
    return true
  if (value.length < 5 || value.length > 4000 || /\s/.test(value)) return false
  if (/^[A-Za-z]+$/.test(value) && classifyName(value) !== undefined) return false
  const sure = setting === 'quoted' || setting === 'setting'
  if (
    (isPromise(kind) || (kind === 'auth' && setting === 'quoted' && value.length >= 32)) &&
    looksDrawn(value) &&
    !isPlaceholder(value) &&
    !isUuid(value) &&
    !isCodeShape(value, sure ? 'typed' : 'bare')
  )
    return true
  if (notASecret.test(value) || fileEnd.test(value) || isReference(value) || isPlaceholder(value))
    return false
  if (isCodeShape(value, sure && kind === 'password' ? 'typed' : setting === 'quoted' ? 'quoted' : 'bare'))
    return false
  if (kind === 'password')
    return isVague === true && !sure ? isMachineMade(value) : isPassword(value, setting === 'quoted', sure)
  if (/^(?:\d+|(?:\d{6}-){7}\d{6})$/.test(value))
    return (
      value.length >= 16 && kind !== 'key' && kind !== 'auth' && kind !== 'session' && setting !== 'prose'
    )
  if (isUuid(value)) return kind === 'token' || kind === 'secret' || kind === 'api-key'
  return isRandomEnough(kind, value, setting, sure)
}

/** Whether a name of this kind promises a secret by itself; other kinds may be names, settings and ids. */
export function isPromise(kind: SecretKind): boolean {
  return kind === 'password' || kind === 'code' || kind === 'secret' || kind === 'token' || kind === 'api-key'
}

/** The shortest random value that counts next to a name: in quotes or settings, and elsewhere. */
const leasts: Partial<Record<SecretKind, readonly [sure: number, doubtful: number]>> = {
  secret: [8, 12],
  token: [10, 12],
  'api-key': [10, 12],
  auth: [12, 16],
  session: [12, 16],
  vendor: [14, 20],
}

function isRandomEnough(kind: SecretKind, value: string, setting: ValueSetting, sure: boolean): boolean {
  if (kind === 'secret' && sure && isMachineMade(value)) return true
  const [least, doubtful] = leasts[kind] ?? [20, 20]
  if (kind === 'vendor' && !/\d/.test(value)) return false
  if (kind !== 'key') return looksRandom(value, sure ? least : doubtful)
  // A bare `key` may be a cache key, a hash or an object name: only long mixed text counts.
  if (setting === 'setting' && /^[\da-f]{24,128}$/i.test(value)) return distinctCharacters(value) >= 8
  const { lower, upper, digit } = characterKinds(value)
  return /^0x[\da-f]{64}$/i.test(value) || (lower && upper && digit && looksRandom(value, least))
}

/** Words and numbers as people join them, and words with digits in the place of letters. */
const wordsAndNumbers =
  /^(?:[A-Za-z][a-z]{2,11}|[A-Z]{3,12})(?:(?:[-_. @#$&+!]|, | & )(?:[A-Za-z][a-z]{2,11}|[A-Z]{3,12}|\d{1,6}(?!\d))|[A-Z][a-z]{2,11}|\d{1,6}(?!\d)){0,23}[!?#$@*_%]?$/
const digitsAsLetters =
  /^(?:[a-z]{1,6}\d[a-z]{1,8}|\d[a-z]{3,8})(?:\d?[A-Z]?[a-z]{1,8}){0,3}\d{2,4}[!@#$%?*_]?$/i
/** Names of algorithms, which mix letters and digits as passwords do. */
const algorithm =
  /sha-?\d|\b(?:aes|rsa|tls)|(?:aes|rsa|tls)(?![a-z])|hmac|pbkdf|md5|ecdsa|argon|bcrypt|base64|utf-?8|x\.?509/i

/** What a password is made of that somebody chose; `undefined` if there is another word for it. */
function chosenParts(value: string): { words: number; digits: boolean; signs: string } | undefined {
  if (value.length < 8 || value.length > 200) return undefined
  const isLeet = digitsAsLetters.test(value)
  if (!isLeet && !wordsAndNumbers.test(value)) return undefined
  const words = value.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  if (
    algorithm.test(value) ||
    /^[a-z.]+\.[a-z]{2,3}$/.test(value) ||
    (!isLeet && words.some((word) => jargon.has(word.toLowerCase())))
  )
    return undefined
  return {
    words: isLeet ? 1 : words.length,
    digits: /\d/.test(value),
    signs: value.replace(/[A-Za-z\d]/g, ''),
  }
}

/** Whether somebody chose a value as a password: words that nobody says next to that name. */
export function isChosen(value: string, setting: ValueSetting): boolean {
  // What Apple and Google make for one program.
  if (/^(?:[a-z]{4}[ -]){3}[a-z]{4}$/.test(value)) return isNoWord(value.replace(/[ -]/g, ''))
  const parts = chosenParts(value)
  if (parts === undefined) return false
  const { words, digits, signs } = parts
  const isSure = digits && (signs !== '' || words > 1)
  switch (setting) {
    case 'quoted':
    case 'setting':
      return digits || (words > 1 && signs.includes(' ')) || (words > (signs === '-' ? 1 : 2) && signs !== '')
    case 'code':
      return isSure && /[-@#$!?*]/.test(signs)
    default:
      return isSure || words > (signs.includes(' ') ? 3 : signs.includes('-') ? 2 : 23)
  }
}

/** Whether a value is a PIN, a one-time code or a recovery code. */
export function isCode(value: string): boolean {
  return /^(?:(?:G-)?\d{4,8}|\d{3}[ -]\d{3}|(?:[A-Za-z0-9]{4,6}[- ]){1,7}[A-Za-z0-9]{4,6}|(?=\D*\d)[a-z0-9]{8,16})$/.test(
    value,
  )
}

/** Anything somebody may have typed as a password, except names, words and pieces of code. */
function isPassword(value: string, quoted: boolean, sure: boolean): boolean {
  const { lower, upper, digit, sign } = characterKinds(value)
  if (!digit && !sign) return (sure || value.length >= 8) && isNoWord(value)
  if (!lower && !upper && !sign) return sure && value.length >= 8
  if (!sign) return value.length >= 6 || quoted
  if (/^[A-Za-z_]+[!?]$/.test(value)) return quoted && !isWordLike(value.slice(0, -1))
  if (digit && !/[./:]/.test(value) && !isIdentifier(value)) return true
  if (/^[\w./:#-]+$/.test(value)) return wordShare(value) < 0.6
  return digit || wordShare(value) <= 0.8 || (value.match(/[^A-Za-z0-9]/g) ?? []).length < 2
}

/** `user_2_name`, `step-2-of-3`, `dbPassword2`: words joined as in names. */
function isIdentifier(value: string): boolean {
  if (wordShare(value) < 0.6) return false
  return (
    /^[a-z\d]+(?:[_-][a-z\d]+)+$|^[A-Z\d]+(?:[_-][A-Z\d]+)+$/.test(value) ||
    (value.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).some((word) => jargon.has(word.toLowerCase()))
  )
}

/** Whether a value where only a password can be is one, rather than a variable, an example or a name in code. */
export function isTypedPassword(value: string): boolean {
  return value.length <= 512 && isSecretValue({ kind: 'password', type: '' }, value, 'setting')
}

/** Signs of code; addresses, `name@version` and `name:value`. */
const notMade = /[(){}<>=[\],]|:\/\/|\w:\w|^@|@(?:[\w-]+\.[a-z]|[\^~]?v?\d+(?:\.|$)|[a-f\d]{7,40}$)/

/** Whether a value that may be many things is a secret: letters and digits that form no name, no word and no code. */
export function isMachineMade(value: string): boolean {
  if (looksDrawn(value) && !isCodeShape(value, 'bare')) return true
  if (/^[A-Za-z0-9+/]{15,}={1,2}$/.test(value)) return isMachineMade(value.replace(/=+$/, ''))
  if (/[@#$!?]/.test(value) && isChosen(value, 'code')) return true
  if (value.length < 8 || notMade.test(value) || !isTypedPassword(value)) return false
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 10 && /[a-z][A-Z]/.test(value) && isNoWord(value)
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value) || isCodeShape(value, 'bare')) return false
  if (value.length < 24 && algorithm.test(value)) return false
  return /[a-z]\S*[A-Z]|[A-Z]\S*[a-z]|[^\w./:-]/.test(value) ? wordShare(value) < 0.6 : looksRandom(value, 12)
}

/** A password that is drawn, or a word with digits as people choose it. */
export function isSaid(value: string): boolean {
  return isMachineMade(value) || (/\d|^(?:[a-z]{4}[ -]){3}/.test(value) && isChosen(value, 'quoted'))
}

/** A file, an address, a time, a name in code, an id of an API. */
const harmless =
  /^[\d.:]+$|\|\w+\||<\/|\(\)|\)[,.]|:\/\/|^\.|\d→|\d{4}-\d\d-\d\d|^(?:key|token|auth|secret)|[_.-](?:key|token|auth|secret)|^[A-Za-z_]\w*=[^=]|^(?:toolu|msg|call|req|chatcmpl|run|thread|sess|evt|rs|fc)_|a-z(?:a-z|0-9)|0-9a-z/i
const nameInside = /Key|Token|Auth|Secret|[a-z]ID\b/

/** Whether a value may be a secret next to any word: it names nothing else itself. */
export function isUnnamed(value: string, isLinked: boolean): boolean {
  if (value.length > 200 || isSequential(value) || classifyName(value) !== undefined) return false
  if (isUuid(value) && !isLinked) return false
  if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(value)) return true
  return !(harmless.test(value) || nameInside.test(value) || isFileOrAddress(value))
}
