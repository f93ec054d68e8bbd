import type { Scan, Trigger } from './scan.ts'
import { isTypedPassword } from './typed-password.ts'
import { readValue } from './value-reader.ts'
import { looksRandom } from './value-shape.ts'

/** Functions that take a name and a password, and the number of the argument that is the password, counted from 0. */
const calls: readonly (readonly [literal: string, argument: number])[] = [
  ['BasicAuth(', 1],
  ['DigestAuth(', 1],
  ['ProxyAuth(', 1],
  ['basic_auth(', 1],
  ['basicAuth(', 1],
  ['basicAuthentication(', 1],
  ['http_basic_authenticate_with(', 1],
  ['auth=(', 1],
  ['auth = (', 1],
  ['.auth(', 1],
  ['.login(', 1],
  ['.authenticate(', 1],
  ['NetworkCredential(', 1],
  ['UsernamePasswordCredentials(', 1],
  ['PasswordAuthentication(', 1],
  ['UsernamePasswordAuthenticationToken(', 1],
  ['Credentials.basic(', 1],
  ['SetBasicAuth(', 1],
  ['setBasicAuth(', 1],
  ['withBasicAuth(', 1],
  ['UserPassword(', 1],
  ['getConnection(', 2],
  ['mysqli_connect(', 2],
  ['mysql_connect(', 2],
  ['mysqli(', 2],
  ['PDO(', 2],
  ['ftp_login(', 2],
  ['jwt.sign(', 1],
  ['jwt.verify(', 1],
  ['jwt.encode(', 1],
  ['jwt.decode(', 1],
  ['createHmac(', 1],
  ['hmac.new(', 0],
  ['cookieParser(', 0],
]

/** Functions whose first argument may be a token. */
const tokenCalls = [
  'Fernet(',
  'Stripe(',
  '.login(',
  'bot.run(',
  'client.run(',
  'Telegraf(',
  'TeleBot(',
  'setToken(',
  'WebClient(',
]

/** Constants and functions whose only argument is `name:password`. */
const pairs = [
  'CURLOPT_USERPWD',
  'CURLOPT_PROXYUSERPWD',
  'b64encode(',
  'btoa(',
  'base64_encode(',
  'EncodeToString(',
]

/** Passwords among the arguments of calls. */
export const callTriggers: readonly Trigger[] = [
  ...calls.map(([literal, argument]) => ({
    literal,
    exact: true,
    match: (scan: Scan, at: number) => matchArgument(scan, at + literal.length, argument),
  })),
  ...tokenCalls.map((literal) => ({
    literal,
    exact: true,
    match: (scan: Scan, at: number) => matchArgument(scan, at + literal.length, 0, isToken),
  })),
  ...pairs.map((literal) => ({
    literal,
    exact: true,
    match: (scan: Scan, at: number) => matchPair(scan, at + literal.length),
  })),
  { literal: 'ConvertTo-SecureString', exact: true, match: matchSecureString },
]

const argumentPattern = /\s{0,40}(?:[\w$.[\]:&*->]{1,80}\s{0,8}[=:]\s{0,8})?/y
/** An argument that is not a literal, such as a variable or a call without arguments. */
const other = /[^\s"'`,()]{1,120}(?:\(\))?/y
const commaPattern = /\s{0,8},/y

/** Reports the argument of this number, counted from 0, if it is a literal that can be a password. */
export function matchArgument(scan: Scan, from: number, wanted: number, isOne = isTypedPassword): void {
  const { text } = scan
  let at = from
  for (let argument = 0; argument <= wanted; argument++) {
    at = after(argumentPattern, text, at) ?? at
    const value = readValue(scan, at)
    if (argument === wanted) {
      if (value?.quoted === true && isOne(text.slice(value.start, value.end)))
        scan.report(value.start, value.end, 'password')
      return
    }
    const end = value?.quoted === true ? closed(text, value.end) : after(other, text, at)
    const comma = end === undefined ? undefined : after(commaPattern, text, end)
    if (comma === undefined) return
    at = comma
  }
}

function isToken(value: string): boolean {
  return /\d/.test(value) && looksRandom(value, 24) && isTypedPassword(value)
}

/** Text between a constant and its value: `, "…"`, ` => '…'`, `: b"…"`. */
const toValue = /[ \t]{0,8}(?:,|=>?|:)?[ \t]{0,8}/y

function matchPair(scan: Scan, from: number): void {
  const { text } = scan
  const value = readValue(scan, after(toValue, text, from) ?? from)
  if (value?.quoted !== true) return
  const pair = text.slice(value.start, value.end)
  const colon = pair.indexOf(':')
  if (colon >= 0 && colon <= 64 && isTypedPassword(pair.slice(colon + 1)))
    scan.report(value.start + colon + 1, value.end, 'password')
}

function matchSecureString(scan: Scan, at: number): void {
  const { text } = scan
  const from = /(?:[ \t]{1,4}-\w{1,20}){0,3}[ \t]{1,4}/y
  const value = readValue(scan, after(from, text, at + 22) ?? at + 22)
  if (value !== undefined && isTypedPassword(text.slice(value.start, value.end)))
    scan.report(value.start, value.end, 'password')
}

function closed(text: string, at: number): number {
  let end = at
  while (text[end] === '\\') end++
  return end + 1
}

function after(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : undefined
}
