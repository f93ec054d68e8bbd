import { byWord } from '../../tools/by-word.ts'
import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isTypedPassword } from './typed-password.ts'
import { readValue } from './value-reader.ts'
import { looksRandom } from './value-shape.ts'

/** Functions that take a name and a password, by the number of the argument that is the password, from 0. */
const calls = byWord({
  0: 'hmac.new( cookieParser(',
  1: 'BasicAuth( DigestAuth( ProxyAuth( basic_auth( basicAuth( basicAuthentication( http_basic_authenticate_with( auth=( .auth( .login( .authenticate( NetworkCredential( UsernamePasswordCredentials( PasswordAuthentication( UsernamePasswordAuthenticationToken( Credentials.basic( SetBasicAuth( setBasicAuth( withBasicAuth( UserPassword( jwt.sign( jwt.verify( jwt.encode( jwt.decode( createHmac(',
  2: 'getConnection( mysqli_connect( mysql_connect( mysqli( PDO( ftp_login(',
})

/** Functions whose first argument may be a token. */
const tokenCalls =
  'Fernet( Stripe( .login( bot.run( client.run( Telegraf( TeleBot( setToken( WebClient('.split(' ')

/** Constants and functions whose only argument is `name:password`. */
const pairs = 'CURLOPT_USERPWD CURLOPT_PROXYUSERPWD b64encode( btoa( base64_encode( EncodeToString('.split(
  ' ',
)

/** Passwords among the arguments of calls. */
export const callTriggers: readonly Trigger[] = [
  ...[...calls, ['auth = (', 1] as const].flatMap(([literal, argument]) =>
    exactTriggers([literal], (scan, _, end) => matchArgument(scan, end, Number(argument))),
  ),
  ...exactTriggers(tokenCalls, (scan, _, end) => matchArgument(scan, end, 0, isToken)),
  ...exactTriggers(pairs, (scan, _, end) => matchPair(scan, end)),
  ...exactTriggers(['ConvertTo-SecureString'], (scan, _, end) => matchSecureString(scan, end)),
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

function matchSecureString(scan: Scan, end: number): void {
  const { text } = scan
  const from = /(?:[ \t]{1,4}-\w{1,20}){0,3}[ \t]{1,4}/y
  const value = readValue(scan, after(from, text, end) ?? end)
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
