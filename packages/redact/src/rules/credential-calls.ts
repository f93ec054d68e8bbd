import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isMachineMade } from './secret-value.ts'
import { readValue } from './value-reader.ts'

/** Ends of the names of functions that take a secret among their arguments. */
const calls =
  'jwt.sign( JWT.sign( HMAC256( HMAC512( StaticV4( StaticCredentials( jwt.verify( jwt.encode( jwt.decode( Hmac( hmac( hmac.new( hmac.New( create_superuser( simple_bind_s( ldap_bind( signWith( Credentials::new( hexdigest( Cipheriv( AES.new( AES.encrypt( AES.decrypt( Cryptr( Fernet( .seal( cookieParser( cookieSession( Credential( Credentials( Credentials.basic( BasicAuth( DigestAuth( ProxyAuth( basicAuth( basic_auth=( basicAuthentication( UserPassword( AuthenticationToken( auth=( .auth( login( username_pw_set( .authenticate( http_basic_authenticate_with( connect( getConnection( PDO( mysqli( ftp_login( Stripe( twilio( Client( bot.run( client.run( Telegraf( TeleBot( setToken( hashpw( bcrypt.hash( bcrypt.compare( bcrypt.hashSync( bcrypt.compareSync( PasswordHash.verify( create_user( createUser( set_password( KeyStore.load( keyStore.load( Wallet( ToAccount( .decode( pgp_sym_encrypt( pgp_sym_decrypt( signInWithPassword( PasswordAuthentication( KeySpec( SecurityKey( password_hash( password_verify( Sequelize( WiFi.begin( basic_auth( algoliasearch('.split(
    ' ',
  )

/** Passwords among the arguments of calls. */
export const callTriggers: readonly Trigger[] = exactTriggers([...calls, 'auth = ('], (scan, _, end) =>
  matchCall(scan, end),
)

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
