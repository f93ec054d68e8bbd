import { isPlaceholder, isReference } from './allow-list.ts'
import { isCodeShape } from './code-shape.ts'
import type { SecretKind, SecretName } from './secret-names.ts'
import { characterKinds, distinctCharacters, isUuid, looksDrawn, looksRandom } from './value-shape.ts'
import { isNoWord, isWordLike, wordShare } from './word-likeness.ts'

/**
 * How a value is written next to its name, from sure to doubtful: `quoted`; `setting` (`NAME=value`, `--flag value`);
 * `colon` (`name: value`); `code` (`name = value` without quotes, which may be a variable); `prose`.
 */
export type ValueSetting = 'quoted' | 'setting' | 'colon' | 'code' | 'prose'

const notASecret =
  /^(?:\.{0,2}\/[\w.-]+(?:\/|$)|~\/|[A-Za-z]:\\|(?:urn|data|unix):|[a-z][a-z0-9+.-]{1,20}:\/\/|M(?:FkwEw|FYwEA|II[BC]IjAN|IGfMA0|CowBQ|II[DEFG][A-Za-z0-9+/]{3}CC)|AAAA[BCE][23]Nz|sha(?:1|256|384|512)[-:]|md5[-:]|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|@[a-z])|\.(?:json|ya?ml|pem|key|pub|txt|[cm]?[jt]sx?|py|go|rb|md|html?|php|java|kt|rs|cs|crt|cer|env|sh|toml|ini|cfg|conf|lock|png|svg|log|xml|sql|csv)$|^[\w.]+\(|\)$|^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][A-Za-z_$]+)+$/i

/** Whether a value next to a name is a secret. */
export function isSecretValue({ kind, isVague }: SecretName, value: string, setting: ValueSetting): boolean {
  if (kind === 'code' && isCode(value)) return true
  if (kind === 'password' && isVague !== true && isPassphrase(value, setting)) return true
  if ((kind === 'password' || kind === 'secret') && isChosen(value)) return true
  if (value.length < 5 || value.length > 4000 || /\s/.test(value)) return false
  const sure = setting === 'quoted' || setting === 'setting'
  if (
    (isPromise(kind) || (kind === 'auth' && setting === 'quoted' && value.length >= 32)) &&
    isDrawn(value) &&
    !isCodeShape(value, sure ? 'typed' : 'bare')
  )
    return true
  if (notASecret.test(value) || isReference(value) || isPlaceholder(value)) return false
  const typed = kind === 'password' && (setting === 'quoted' || setting === 'setting')
  if (isCodeShape(value, typed ? 'typed' : setting === 'quoted' ? 'quoted' : 'bare')) return false
  if (kind === 'password' || kind === 'code') return isPassword(value, setting)
  if (/^\d+$/.test(value))
    return (
      value.length >= 16 && kind !== 'key' && kind !== 'auth' && kind !== 'session' && setting !== 'prose'
    )
  if (isUuid(value)) return kind === 'token' || kind === 'secret' || kind === 'api-key'
  return isRandomEnough(kind, value, setting)
}

/** Whether a name of this kind promises a secret by itself; other kinds may be names, settings and ids. */
export function isPromise(kind: SecretKind): boolean {
  return kind === 'password' || kind === 'code' || kind === 'secret' || kind === 'token' || kind === 'api-key'
}

/** Whether a value looks randomly drawn. Ids that count up and dates use few characters; placeholders may use more. */
function isDrawn(value: string): boolean {
  return looksDrawn(value) && !isPlaceholder(value) && !isUuid(value)
}

function isRandomEnough(kind: SecretKind, value: string, setting: ValueSetting): boolean {
  const sure = setting === 'quoted' || setting === 'setting'
  switch (kind) {
    case 'secret':
      return looksRandom(value, sure ? 8 : 12) || (sure && isStrongPassword(value))
    case 'token':
    case 'api-key':
      return looksRandom(value, sure ? 10 : 12)
    case 'auth':
    case 'session':
      return looksRandom(value, sure ? 12 : 16)
    case 'vendor':
      return setting !== 'prose' && setting !== 'code' && looksRandom(value, 14) && /\d/.test(value)
    default:
      return isRandomKey(value, setting)
  }
}

/** A bare `key` may be a cache key, a hash or an object name: only long mixed text counts. */
function isRandomKey(value: string, setting: ValueSetting): boolean {
  if (setting === 'setting' && /^[\da-f]{24,128}$/i.test(value)) return distinctCharacters(value) >= 8
  if (/^0x[\da-f]{64}$/i.test(value)) return true
  const kinds = characterKinds(value)
  return value.length >= 20 && kinds.lower && kinds.upper && kinds.digit && looksRandom(value, 20)
}

function isPassword(value: string, setting: ValueSetting): boolean {
  if (/^\d+$/.test(value)) return value.length >= 8 && (setting === 'quoted' || setting === 'setting')
  if (setting === 'quoted' || setting === 'setting') return isWeakPassword(value, setting === 'quoted')
  if (isMixed(value) && (setting !== 'code' || value.length >= 10)) return true
  if (isUuid(value)) return true
  return isStrongPassword(value) || looksRandom(value, 8)
}

const words =
  /^[A-Za-z][a-z]{2,11}(?:([-_. ])[a-z]{3,12}(?:\1[a-z]{3,12}){0,22})?(?:[-_. @#$]?\d{1,4})?[!?#$]?$|^(?:[a-z]{1,6}\d[a-z]{1,8}|\d[a-z]{3,8})(?:\d[a-z]{1,6}){0,3}\d{2,4}[!@#$%?]?$/
/** Words of labels, messages, names in code and placeholders. */
const ordinary =
  /(?:^|[^a-z])(?:the|and|for|not|with|your|you|this|that|from|has|have|been|will|can|must|should|may|are|was|does|did|all|any|one|two|three|first|last|new|old|current|previous|next|enter|type|confirm|repeat|change|reset|forgot|forgotten|update|show|hide|invalid|incorrect|wrong|correct|valid|weak|strong|short|long|missing|required|optional|set|unset|get|value|values|field|string|number|none|null|empty|plain|text|hash|hashed|stored|store|encrypted|pass|passwords?|passwd|passphrase|passcode|pwd|secrets?|tokens?|keys?|credentials?|auth|login|user|username|account|admin|root|name|email|config|settings|default|example|sample|test|testing|demo|dummy|fake|mock|local|prod|dev|staging|app|api|service|server|client|database|data|file|path|env|variable|process|node|input|output|error|message|form|label|placeholder|button|page|prompt|manager|provider|handler|policy|rule|rules|length|min|max|here|per|only|use|used|using|see|via|when|where|how|what|why|but|out|let|const|var|function|return|true|false|undefined|self|super|long|random|generated|vault|manual|basic|bearer|oauth|changeme|changeit|please|some|thing|something|super)(?![a-z])/i

/** Names of algorithms, which mix letters and digits as passwords do. */
const algorithm = /sha-?\d|aes|hmac|rsa|pbkdf|md5|ecdsa|argon|bcrypt|base64|utf-?8|tls|x\.?509/i

/** Words that nobody says of a password: two or more with signs, blanks or digits. */
export function isPassphrase(value: string, setting: ValueSetting): boolean {
  const sign = words.exec(value)?.[1]
  if (value.length < 8 || (sign === undefined && !/\d/.test(value)) || !words.test(value)) return false
  const count = value.split(/[-_. ]/).filter((word) => /[a-z]/.test(word)).length
  if (
    setting === 'colon'
      ? sign === ' '
        ? count < 4
        : sign !== '-' || count < 3
      : setting !== 'quoted' && setting !== 'setting'
  )
    return false
  if (sign !== ' ' && count < 3 && !/\d/.test(value)) return false
  return !ordinary.test(value) && !algorithm.test(value) && !isReference(value)
}

/** Whether a value is a PIN, a one-time code or a recovery code. */
export function isCode(value: string): boolean {
  return /^(?:\d{4,8}|\d{3}[ -]\d{3}|(?:[A-Za-z0-9]{4,6}[- ]){1,7}[A-Za-z0-9]{4,6}|(?=\D*\d)[a-z0-9]{8,16})$/.test(
    value,
  )
}

/** A word with digits and a sign, as people choose passwords, and the password of an application at Google. */
function isChosen(value: string): boolean {
  if (/^(?:[a-z]{4} ){3}[a-z]{4}$/.test(value)) return isNoWord(value.replaceAll(' ', ''))
  const word = /^([A-Z][a-z]{2,11})(?:[@#$!]\d{2,4}|[-_]?\d{2,4}[!?#$@])$/.exec(value)?.[1]
  return word !== undefined && !ordinary.test(word) && !isPlaceholder(value)
}

/** Letters of both cases, perhaps with signs, and no word among them. */
function isMixed(value: string): boolean {
  if (value.length < 8 || !/[a-z][^a-z]*[A-Z]/.test(value) || !/^[A-Za-z!@#%^&*]+$/.test(value)) return false
  const share = wordShare(value)
  if (/^[A-Za-z]+$/.test(value)) return share < 0.55 && isNoWord(value)
  return share < 0.3
}

/** Anything somebody may have typed as a password, except names, words and pieces of code. */
function isWeakPassword(value: string, quoted: boolean): boolean {
  const kinds = characterKinds(value)
  if (!kinds.digit && !kinds.sign) return isNoWord(value)
  if (!kinds.sign) return kinds.lower || kinds.upper ? value.length >= 6 || quoted : false
  if (/^[A-Za-z_]+[!?]$/.test(value)) return quoted && !isWordLike(value.slice(0, -1))
  if (/^[\w./:#-]+$/.test(value)) return wordShare(value) < (/^(?:\w+-)+\d+-\w+$/.test(value) ? 0.75 : 0.6)
  if (wordShare(value) > 0.8 && (value.match(/[^A-Za-z0-9]/g) ?? []).length > 1 && !kinds.digit) return false
  return true
}

/** A password by itself, no matter what is next to it: digits between letters and two more kinds of characters. */
function isStrongPassword(value: string): boolean {
  const { lower, upper, digit, sign } = characterKinds(value)
  if (value.length < 6 || !digit || !(lower || upper) || /[(){}[\]<>"'=;]/.test(value)) return false
  if (/^[\w./:-]+$/.test(value)) return lower && upper && wordShare(value) < 0.65 && value.length >= 7
  return sign && wordShare(value) < 0.75
}

/** Whether a value where only a password can be is one, rather than a variable, an example or a name in code. */
export function isTypedPassword(value: string): boolean {
  if (value.length < 4 || value.length > 512 || /\s/.test(value)) return false
  if (looksDrawn(value) && !isCodeShape(value, 'typed')) return true
  if (isReference(value) || isPlaceholder(value) || isCodeShape(value, 'typed')) return false
  if (/^\d+$/.test(value)) return value.length >= 8
  if (isStrongPassword(value) || looksRandom(value, 8)) return true
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 6 && isNoWord(value)
  return /\d/.test(value) ? value.length >= 6 && !/[(){}[\]]/.test(value) : wordShare(value) < 0.6
}

/** Signs of code; addresses, `name@version` and `name:value`. */
const notMade = /[(){}<>=[\],]|:\/\/|\w:\w|^@|@(?:[\w-]+\.[a-z]|[\^~]?v?\d+(?:\.|$)|[a-f\d]{7,40}$)/

/** Whether a value that may be many things is a secret: letters and digits that form no name, no word and no code. */
export function isMachineMade(value: string): boolean {
  if (isChosen(value) || (looksDrawn(value) && !isCodeShape(value, 'bare'))) return true
  if (value.length < 8 || notMade.test(value) || !isTypedPassword(value)) return false
  if (/^[A-Za-z]+$/.test(value)) return value.length >= 10 && /[a-z][A-Z]/.test(value) && isNoWord(value)
  if (!/[A-Za-z]/.test(value) || !/\d/.test(value) || isCodeShape(value, 'bare')) return false
  if (value.length < 24 && algorithm.test(value)) return false
  return isStrongPassword(value) ? wordShare(value) < 0.6 : looksRandom(value, 12)
}

/** A password that is drawn, or a word with digits as people choose it. */
export function isSaid(value: string): boolean {
  return isMachineMade(value) || (/\d/.test(value) && isPassphrase(value, 'quoted'))
}
