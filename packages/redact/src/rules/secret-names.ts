import { copyText } from '@tenfold/tokens/internal'
import { matchLength } from './value-reader.ts'
import { hasVendor } from './vendor-names.ts'

/**
 * What a name promises about its value. `key` and `vendor` are weak promises: the value must look machine-made. A
 * `code` is a PIN or valid once; a `session` is the secret of a cookie, and elsewhere mostly an id.
 */
export type SecretKind =
  | 'password'
  | 'code'
  | 'secret'
  | 'token'
  | 'api-key'
  | 'auth'
  | 'session'
  | 'key'
  | 'vendor'

export interface SecretName {
  readonly kind: SecretKind
  /** Names the mark: `password`, `api-key`. */
  readonly type: string
  /** A shorter value is not a secret. */
  readonly least?: number
  /** Other things have this name too: words are no secret next to it. */
  readonly isVague?: boolean
}

const passwords = new Set(
  'pasword psword paswd psswrd psswd paswrd psswrd pssword password passwd passwrd passwort passphrase passcode pass pwd pw psw pswd psswd pwrd paasword pasword userpass sshpass passwords pswrd contrasena psk pepper mnemonic requirepass masterauth mdp kennwort senha wachtwoord heslo'.split(
    ' ',
  ),
)
const authNames = new Set(
  'hmac sign ticket auth authorization cred creds credential credentials nonce salt sid csrf xsrf cookie authn sas community phpsessid jsessionid sessionid signature verifier samlresponse dockerconfigjson macaroon'.split(
    ' ',
  ),
)

/** Ends of names that still hold the secret itself: `password_confirmation`, `token2`, `secret_value`. */
const neutralTails = new Set(
  'hex 64 value val data str string text plain plaintext cleartext raw default prod production dev staging test live sandbox new old current confirm confirmation repeat again verify again env any admin user root main primary secondary backup base64 b64 encoded long lived short base a b 1 2 3 com txt'.split(
    ' ',
  ),
)

/** A name with one of these words holds no secret: it counts, describes, points at or checks one. */
const harmless = new Set(
  'count counts counter total usage used budget limit limits max min maximum minimum size length len bytes num number numbers name names type types kind url urls uri uris endpoint host hostname port path paths file files filename dir directory folder field fields column header headers prefix suffix pattern regex regexp format policy policies hint label labels title description message error errors exception reset forgot change update strength expiry expires expiration expired ttl age timeout lifetime interval at on time date timestamp ref refs reference id ids index idx map mapping list set array config settings provider manager service handler helper util utils factory class module required enabled disabled visible show hide toggle input box form page view screen button icon placeholder invalid valid validator validation check checks exists length rate ratio cost costs price prices per input output cached reasoning completion cache next prev previous continuation sync cursor cancel cancellation stop eos bos pad unk mask special tokenizer tokenize tokenized tokens keyboard keyword keywords keys author authors authority public primary foreign unique sort order group row partition document doc shortcut hot press down up event code lookup dict object json yaml attribute attributes alg algorithm method scheme mode scope scopes status state role roles issuer audience thumbprint fingerprint checksum digest sha md5 sum version revision usages pair generator generate generation parse parser color theme i18n locale translation lang bypass passthrough passed passing passenger compass passive pinned source sources target add property param option object item entry content blob bucket lock dedupe dedup idempotency query node cluster chunk asset hash image job task batch feature flag issue thread replay build commit module target created updated rotation rotate rotated sent seen userpwd proxyuserpwd'.split(
    ' ',
  ),
)

/** Words before `code` that make it a password. */
const codes = new Set(
  'access alarm unlock recovery backup security pin pairing verification confirmation login otp totp mfa 2fa fa token scratch device user door'.split(
    ' ',
  ),
)
const phrases = new Set(['key', 'pass', 'secret', 'recovery'])
const oneTime = new Set(['pin', 'puk', 'otp', 'totp'])

/** Words before `key` that make it as secret as a password. */
const secretKeys = new Set(
  'secret private signing encryption decryption validation master preshared recovery'.split(' '),
)

const types: Readonly<Record<SecretKind, string>> = {
  password: 'password',
  code: 'one-time-code',
  secret: 'secret',
  token: 'access-token',
  'api-key': 'api-key',
  auth: 'credential',
  session: 'credential',
  key: 'api-key',
  vendor: 'api-key',
}

/** Words before `key` that do not name it. */
const determiner =
  /^(?:the|an?|this|that|these|my|your|our|its?|one|any|each|every|no|same|which|what|with|for|of|and|or|to|is|as|by)$/

const wordPattern = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
const gluedPattern =
  /^[a-z0-9]*?(?:(password|(?:root|bind|user|db|admin)pw|passwd|passphrase|passcode|passwort|kennwort|wachtwoord|pwd|(?:db|root|smtp|ftp|imap|remote|admin|mail|sql|pg|redis|ssh|login|key|store|user|bind|net|dn|ldap|pop3?|auth|proxy|vpn|vnc|wifi|wlan|ssl|cert|server|client|conn|nick|irc|sasl|mqtt|amqp|mongo|my|smb|cifs|svc|service|account|bot|basic|ppp|sudo|zip|pdf|enc|crypt)pass|wpakey|wpapsk|authtok)|((?:client|app|api|shared|consumer|jwt|session|oauth)?secret|secretkey|privatekey|signingkey|encryptionkey|masterkey)|(token|jwt|pat)|(apikey|accesskey|authkey|accountkey|appkey|sharedkey|storagekey|licensekey|consumerkey))$/

/** `pw` at the end of base64 and the like is chance. */
const shortInWord = /[A-Za-z0-9](?:pw|pat|(?<!^t)otp|sas)$/i
const shortCamel = /[a-z](?:P[wW]|Pat|Otp|Sas)$|(?:root|bind|user|db|admin)pw$/

/** A log has the same few names in every line. */
const maxRemembered = 4096
const remembered = new Map<string, SecretName | undefined>()

/** Classifies a name such as `DB_PASSWORD`, `x-api-key`, `stripeSecretKey`; `undefined` if it promises no secret. */
export function classifyName(name: string): SecretName | undefined {
  const known = remembered.get(name)
  if (known !== undefined || remembered.has(name)) return known
  const found = classify(name)
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(copyText(name), found)
  return found
}

function classify(name: string): SecretName | undefined {
  if (shortInWord.test(name) && !shortCamel.test(name)) return undefined
  const words = wordsOf(name)
  // The shell variable for the working directory has this name too.
  if (words.length === 1 && words[0] === 'pwd') return { kind: 'password', type: types.password, least: 8 }
  // What a test does, what a spice is.
  if (/(?:^|(?<!auth|user|admin|root|login)[.-])(?:pass|pepper)$/i.test(name))
    return { kind: 'password', type: types.password, isVague: true }
  // A flag names a session; a cookie holds it.
  if (words[0] === 'session' && name.startsWith('-')) return undefined
  while (words.length > 1 && neutralTails.has(words[words.length - 1]!)) words.pop()
  // Amazon's key has an id that is as long; HashiCorp calls a token so.
  if (/^(?:access|secret)$/.test(words[words.length - 2] ?? '') && words[words.length - 1] === 'id')
    words.splice(-1, 1, words[words.length - 2] === 'access' ? 'key' : 'token')
  const last = words[words.length - 1]
  if ((last === 'code' || last === 'codes') && codes.has(words[words.length - 2] ?? ''))
    return { kind: 'code', type: types.code }
  if (words.length === 1 && /^(?:code|access|refresh)$/.test(name)) return { kind: 'key', type: types.token }
  if (last === undefined || harmless.has(last)) return undefined
  const kind = kindOf(words, last)
  if (kind !== undefined) return { kind, type: types[kind] }
  return words.length <= 5 && hasVendor(words) ? { kind: 'vendor', type: types.vendor } : undefined
}

/** Whether a name counts, describes, points at or checks something. */
export function isHarmlessName(name: string): boolean {
  return harmless.has(wordsOf(name).at(-1) ?? '')
}

function wordsOf(name: string): string[] {
  return Array.from(name.slice(-100).matchAll(wordPattern), ([word]) => word.toLowerCase())
}

function kindOf(words: readonly string[], last: string): SecretKind | undefined {
  const before = words[words.length - 2]
  if (passwords.has(last))
    return last === 'pass' &&
      before !== undefined &&
      /^(?:test|first|second|multi|single|by|one|two)$/.test(before)
      ? undefined
      : 'password'
  if (last === 'key') {
    if (before === 'encrypted' || before === 'wrapped') return undefined
    if (before === undefined || determiner.test(before)) return 'key'
    if (words[0] === 'pass' || /preshared$|wifi|wireless|wlan|wpa|network/.test(words.slice(0, -1).join('')))
      return 'password'
    if (secretKeys.has(before)) return 'secret'
    if (harmless.has(before)) return undefined
    return 'api-key'
  }
  if (last === 'encrypt') return 'key'
  if (oneTime.has(last)) return 'code'
  if (last === 'phrase') return phrases.has(before ?? '') ? 'password' : undefined
  if (last === 'secret' || last === 'secrets') return 'secret'
  if (last === 'token' || last === 'jwt' || last === 'pat' || last === 'bearer') {
    return before !== undefined &&
      /^(?:page|next|prev|sync|cancellation|cancel|continuation|stop|eos|bos|pad|unk|special|max|first|last|per|design|syntax|decision)$/.test(
        before,
      )
      ? undefined
      : 'token'
  }
  if (authNames.has(last) || authNames.has(`${before}${last}`)) return 'auth'
  if (last === 'session') return 'session'
  const glued = gluedPattern.exec(last)
  if (glued === null) return words.includes('sig') && words.length < 3 ? 'auth' : undefined
  if (glued[1] !== undefined) return 'password'
  if (glued[2] !== undefined) return 'secret'
  return glued[3] === undefined ? 'api-key' : last.length > 5 || glued[3] === 'token' ? 'token' : undefined
}

/** `access key: …`, `SECRET KEY=…`: the word before the blank belongs to the name. */
export function classifySpacedName(text: string, start: number, end: number): SecretName | undefined {
  if (text[start - 1] !== ' ') return undefined
  let from = start - 1
  while (from > 0 && start - from < 20 && /[A-Za-z]/.test(text[from - 1]!)) from -= 1
  return from === start - 1
    ? undefined
    : classifyName(`${text.slice(from, start - 1)}_${text.slice(start, end)}`)
}

/** The last name that opens a block, a section or a list of members before a `key`: `'crypt' => ['key' => …`. */
const parent =
  /^[\s\S]*(?:\b(\w{2,40})["']?\s{0,3}(?:=>|[:=])\s{0,3}(?:[[{(]|\r?\n)|\[([\w.]{2,40})\]\r?\n)[^[\]{}()]{0,160}$/

/** No other value of a key that holds nothing secret by itself needs a name before it. */
const longValue = /["'\]]{0,2}[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}["']?[\w+/=-]{16}/y

export function classifyMember(text: string, start: number, end: number): SecretName | undefined {
  if (matchLength(longValue, text, end) === 0) return undefined
  const [, block, section] = parent.exec(text.slice(Math.max(0, start - 200), start)) ?? []
  return classifyName(`${block ?? section ?? ''}_${text.slice(start, end)}`)
}
