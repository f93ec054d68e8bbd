import { isRepetitive } from './value-shape.ts'
import { isChopped, wordShare } from './word-likeness.ts'

/** `$X`, `${X}`, `$(x)`, `%X%`, `{{ x }}`, `#{x}`, `<X>`, `%s`, `@Value`, `[redacted:…]`, `&secret`, `!vault`. */
const template =
  /^(?:\\?\$\$?[{(]|%[A-Z_]{2,}%|%[a-z]\w*%$|%[sdvq]\b|%\(|\{.*\}|#\{|<.*>|\[.*\]|@\{|!vault|!Ref|!Sub|\(.*\)|\*[A-Za-z]\w*$)/
/** `$NAME`, `$name-suffix`; in a password the letters after a dollar sign form no word. */
const variable = /^\\?\$([A-Za-z_]\w*)/

/** Reads of the environment, of settings and of secret stores, in the languages agents meet. */
const lookup =
  /(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|getenv|env::var|System\.get|ENV\[|Deno\.env|Bun\.env|\$env:|secrets?\.[A-Za-z_]|vars?\.[A-Za-z_]|env\.[A-Za-z_]|config\.[A-Za-z_]|settings\.[A-Za-z_]|self\.|this\.|ctx\.|req\.|options\.|opts\.|args\.|params\.|props\.|data\.|arn:aws|vault:|ref\+|op:\/\/|projects\/|ssm:|keyring:)/i

const wordsOfPlaceholders =
  /(?:your|my|our|insert|enter|paste|add|put|replace|change|fill|set|use|provide|some|any|the|another|new)[-_ .]?(?:own|real|actual|me|this|here|it|with|api|app|secret|token|key|pass|password|pwd|access|auth|client|personal|value|db|jwt|super|strong|very|long|secure|random|private|id)|placeholder|example|sample|dummy|redacted|removed|masked|hidden|omitted|truncated|changeme|change.me|change.it|todo|fixme|lorem|foobar|not.?(?:a|my).?(?:real|secret)|fake|mock|xxxx|(?<![a-z0-9])xxx|xxx(?![a-z0-9])|\*\*\*|\.\.\.|…|•••|#{4}|-here\b|_here\b|abcdefghij|asdfgh|qwerty|n\/a/i

/** Words of labels, messages, code and placeholders rather than of somebody's password. */
export const jargon: ReadonlySet<string> = new Set(
  (
    'password passwd pass pwd pw passwort passphrase passcode userpass mypass secret secrets token tokens ' +
    'key keys apikey credential credentials auth authorization bearer basic test testing tests tester ' +
    'testpass testpassword testtoken testsecret testkey demo admin administrator root user username guest ' +
    'default none null nil undefined true false yes no on off enabled disabled required optional string ' +
    'str text int integer number bool boolean object array any void unknown never bytes buffer char ' +
    'varchar foo bar baz qux hello world hunter letmein welcome value valid invalid wrong correct ' +
    'incorrect bad good old new current empty missing expired revoked public private local localhost dev ' +
    'prod staging production development postgres mysql redis mongo mongodb rabbitmq minio elastic sa ' +
    'changeit changeme abc abcd abcde abcdef xyz alice bob john jane doe login logout session cookie id ' +
    'uuid hash digest base hex utf ascii json xml yaml raw plain file env name type oauth oauth2 jwt saml ' +
    'ldap kerberos apple github google gitlab access refresh client server api app service config ' +
    'settings pattern keyword identifier literal operator comment punctuation variable function const let ' +
    'var return import export from class async await asdf asdfg qwer qwerty stdin prompt ask keychain ' +
    'keyring vault manual auto automatic generated random encrypted hashed a an the and for not with your ' +
    'you this that has have been will can must should may are was does did all one two three first last ' +
    'previous next enter confirm repeat change reset forgot forgotten update show hide weak strong short ' +
    'long set unset get values field stored store passwords account email example sample dummy fake mock ' +
    'database data path process node input output error message form label placeholder button page ' +
    'manager provider handler policy rule rules length min max here per only use used using see via when ' +
    'where how what why but out self super please some thing something'
  ).split(' '),
)

/** Whether a value points at a secret that is kept elsewhere: a variable, a template, a setting. */
export function isReference(value: string): boolean {
  return template.test(value) || lookup.test(value) || isVariable(value)
}

function isVariable(value: string): boolean {
  const name = variable.exec(value)?.[1]
  if (name === undefined) return false
  return (
    /^[A-Z0-9_]+$/.test(name) ||
    (name.length < 8 && name.length >= value.length - 2) ||
    wordShare(name) >= 0.5
  )
}

/** Public keys, and values that are no use without a key that is elsewhere. */
const publicValue =
  /^(?:M(?:FkwEw|FYwEA|II[BC]IjAN|IGfMA0|CowBQ|II[DEFG][A-Za-z0-9+/]{3}CC)|AAAA[BCE][23]Nz|B[\w-]{86}=?$|RW[A-Za-z0-9+/]{54}$|age1[a-z0-9]{58}$|(?:Ag[A-D]|AQICA)[A-Za-z0-9+/]{80,}={0,2}$|ENC[[(]|vault:v\d{1,3}:|\{cipher\}|arn:)/
/** What such values, names of secrets in a store and the numbers of a public JSON Web Key stand behind. */
const publicPlace =
  /(?:\barn:[\w-]{0,20}:[^\s"'`]*|\bENC[[(][^\s\])"'`]*|\bvault:|vault\.azure\.net\/[^\s"'`]*|"(?:kty|crv)"[^{}]*"[xyn]"\s?:\s?"[\w-]*)$/
/** The lines of a block that is public or encrypted. */
const publicBlock =
  /(?:-----BEGIN (?:[A-Z0-9]+ ){0,3}(?:PUBLIC KEY(?: BLOCK)?|SIGNATURE|MESSAGE|CERTIFICATE(?: REQUEST)?|ENCRYPTED FILE)-----(?:\s{1,20}(?:Version|Comment|Hash): [^\n]*)*|\bENC\[PKCS7,)[A-Za-z0-9+/=\s\\"']*$/
const longestBlock = 4000

/** Whether a value is public, or useless without another key, whatever name is next to it. */
export function isPublic(text: string, start: number, end: number): boolean {
  if (publicValue.test(text.slice(start, end))) return true
  if (publicPlace.test(text.slice(Math.max(0, start - 200), start))) return true
  const isBase64 =
    end - start >= 16 && /^[A-Za-z0-9+/=\s\]]+$/.test(text.slice(start, Math.min(end, start + 100)))
  return isBase64 && publicBlock.test(text.slice(Math.max(0, start - longestBlock), start))
}

/** Whether a value is a placeholder: `your-api-key`, `xxxx`, `<TOKEN>`, `changeme`, `test123`, a mark of ours. */
export function isPlaceholder(value: string): boolean {
  if (value.length > 200) return isRepetitive(value.slice(0, 200))
  if (isRepetitive(value) || (wordsOfPlaceholders.test(value) && !isMostlyRandom(value))) return true
  return isCommonWord(value)
}

/** `1234567890`, `aBcDeFgHiJ`: ten upward steps in a row, common in examples and unlikely by chance. */
export function isSequential(value: string): boolean {
  let run = 1
  for (let index = 1; index < value.length; index += 1) {
    const before = value.charCodeAt(index - 1) | 32
    const code = value.charCodeAt(index) | 32
    run = code === before + 1 || (before === 57 && code === 48) ? run + 1 : 1
    if (run >= 10) return true
  }
  return false
}

/** A word such as `example` may be in a long random value by chance, or mark the value as an example. */
function isMostlyRandom(value: string): boolean {
  return isChopped(value) || (value.length >= 24 && wordShare(value) <= (value.length < 38 ? 0.4 : 0.6))
}

/** Digits that people append to a word without a thought: `1`, `12`, `123…`, `2024`, `000`. */
const idleDigits = /^(?:\d{0,2}|123\d*|321|(\d)\1*|(?:19|20)\d\d)$/

/** Whether the digits after a common word were chosen: `secret847` is somebody's password, `secret123` is not. */
export function hasChosenDigits(value: string): boolean {
  const digits = /^[A-Za-z]+(\d+)[!?.]?$/.exec(value)?.[1]
  return digits !== undefined && !idleDigits.test(digits)
}

/** Whether only a common word is left once digits and signs at the ends are dropped: `Password1!`, `test_123`. */
export function isCommonWord(value: string): boolean {
  const core = value.toLowerCase().replace(/^[^a-z]+|[^a-z]+$/g, '')
  return core !== '' && (jargon.has(core) || jargon.has(core.replace(/[^a-z]+/g, '')))
}
