import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isMachineMade, isTypedPassword } from './typed-password.ts'
import { matchLength, readValue } from './value-reader.ts'

/** Ends of the names of functions that take a secret among their arguments. */
const calls =
  'jwt.sign( JWT.sign( HMAC256( HMAC512( StaticV4( StaticCredentials( jwt.verify( jwt.encode( jwt.decode( Hmac( hmac( hmac.new( hmac.New( create_superuser( simple_bind_s( ldap_bind( signWith( Credentials::new( hexdigest( Cipheriv( AES.new( AES.encrypt( AES.decrypt( Cryptr( Fernet( .seal( cookieParser( cookieSession( Credential( Credentials( Credentials.basic( BasicAuth( DigestAuth( ProxyAuth( basicAuth( basic_auth=( basicAuthentication( UserPassword( AuthenticationToken( auth=( .auth( .login( .authenticate( http_basic_authenticate_with( connect( getConnection( PDO( mysqli( ftp_login( Stripe( twilio( Client( bot.run( client.run( Telegraf( TeleBot( setToken( hashpw( bcrypt.hash( bcrypt.compare( bcrypt.hashSync( bcrypt.compareSync( PasswordHash.verify( create_user( createUser( set_password( KeyStore.load( keyStore.load( Wallet( ToAccount( .decode( pgp_sym_encrypt( pgp_sym_decrypt( signInWithPassword( PasswordAuthentication( KeySpec( SecurityKey( password_hash( password_verify( Sequelize( WiFi.begin( basic_auth( algoliasearch('.split(
    ' ',
  )

/** Constants and functions whose only argument is `name:password`. */
const pairs = 'CURLOPT_USERPWD CURLOPT_PROXYUSERPWD b64encode( btoa( base64_encode( EncodeToString('.split(
  ' ',
)

/** Passwords among the arguments of calls. */
export const callTriggers: readonly Trigger[] = [
  ...exactTriggers([...calls, 'auth = ('], (scan, _, end) => matchCall(scan, end)),
  ...exactTriggers(pairs, (scan, _, end) => matchPair(scan, end)),
  ...exactTriggers(['SecureString'], (scan, _, end) => matchSecureString(scan, end)),
]

/** Maximum length of the arguments that are read. */
const reach = 300

/** Reports the literals between the brackets of a call that look like nothing but a secret. */
function matchCall(scan: Scan, from: number): void {
  const { text } = scan
  const limit = Math.min(text.length, from + reach)
  let depth = 1
  for (let at = from; at < limit && depth > 0; at++) {
    const character = text[at] as string
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (/["'`\\]/.test(character)) {
      const value = readValue(scan, at)
      if (value?.quoted !== true) continue
      if (isMachineMade(text.slice(value.start, value.end))) scan.report(value.start, value.end, 'password')
      at = value.end
      while (text[at] === '\\') at++
    }
  }
}

/** Text between a constant and its value: `, "…"`, ` => '…'`, `: b"…"`. */
const toValue = /[ \t]{0,8}(?:,|=>?|:)?[ \t]{0,8}/y

function matchPair(scan: Scan, from: number): void {
  const { text } = scan
  const value = readValue(scan, from + matchLength(toValue, text, from))
  if (value?.quoted !== true) return
  const pair = text.slice(value.start, value.end)
  const colon = pair.indexOf(':')
  if (colon >= 0 && colon <= 64 && isTypedPassword(pair.slice(colon + 1)))
    scan.report(value.start + colon + 1, value.end, 'password')
}

function matchSecureString(scan: Scan, end: number): void {
  const { text } = scan
  const options = /(?:[ \t]{1,4}-\w{1,20}){0,3}[ \t]{1,4}|[^\n]{0,60}?value["']?[ \t]{0,3}[:=]?[ \t]{0,3}/iy
  const value = readValue(scan, end + matchLength(options, text, end))
  if (value !== undefined && isTypedPassword(text.slice(value.start, value.end)))
    scan.report(value.start, value.end, 'password')
}
