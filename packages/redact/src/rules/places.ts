import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { isSaid, isSecretValue, isTypedPassword } from './secret-value.ts'
import { looksRandom } from './value-shape.ts'

/** A place that a literal gives away: the value is the first group of what stands before or after it. */
interface Place {
  /** Lower case if `anyCase`. */
  readonly on: readonly string[]
  readonly anyCase?: boolean
  readonly type: string
  /** Ends where the literal begins. */
  readonly before?: RegExp
  /** Begins with the literal. Without a group in either, all of it is the value. */
  readonly after?: RegExp
  /** What the value must look like. @default anything */
  readonly is?: (value: string) => boolean
}

const isToken = (value: string): boolean => isSecretValue({ kind: 'token', type: '' }, value, 'colon')
const isQuoted = (value: string): boolean => isSecretValue({ kind: 'password', type: '' }, value, 'quoted')

/** `name:password` in base64, so that the word Basic before other text is no finding. */
function isEncodedPair(value: string): boolean {
  return /^[\x20-\x7e]{0,400}:[\x20-\x7e]{1,1200}$/.test(Buffer.from(value, 'base64').toString('latin1'))
}

export function isEncodedText(value: string): boolean {
  return /^[\x00\x20-\x7e]{4,}$/.test(Buffer.from(value, 'base64').toString('latin1'))
}

const sqlString = /(?:N?'([^'\s]{4,128})'|"([^"\s]{4,128})"|([^\s"'`;,]{4,128}))/.source

const places: readonly Place[] = [
  {
    on: ['basic'],
    anyCase: true,
    type: 'basic-auth',
    after: /(?<![A-Za-z0-9])basic[ \t]{1,3}([A-Za-z0-9+/_-]{8,2000}={0,2})/i,
    is: isEncodedPair,
  },
  {
    on: ['bearer'],
    anyCase: true,
    type: 'bearer-token',
    after: /bearer(?:[ \t]|%20|\+){1,3}([\w=~@.+/%:|-]{7,2000}[\w=~@+/%|-])[.:,]{0,8}(?![\w=~@.+/%:|([{-])/i,
    is: isToken,
  },
  {
    // `as` counts only after the name of a plug-in; in prose things are "identified as" something.
    on: ['identified'],
    anyCase: true,
    type: 'password',
    before: /\b(?:user|role|grant|database link)\b[\s\S]*$/i,
    after: new RegExp(
      `identified\\s{1,8}(?:with\\s{1,8}[\\w'"]{1,40}\\s{1,8}(?:by|as)|by)\\s{1,8}(?:password\\s{1,4}|values\\s{1,4})?${sqlString}`,
      'i',
    ),
    is: isTypedPassword,
  },
  {
    on: '$apr1$ $2a$ $2b$ $2y$ $2x$ $5$ $6$ $y$ $1$ $argon2 {SHA} {SSHA} pbkdf2:sha pbkdf2_sha'.split(' '),
    type: 'password-hash',
    after:
      /\$(?:apr1|2[abxy]|1|5|6|y|sha1|argon2(?:id?|d))\$[A-Za-z0-9./,=$+-]{20,200}|\{S?SHA\}[A-Za-z0-9+/]{27,44}={0,2}|pbkdf2[:_]sha\d{1,3}[:$]\d{3,8}\$[A-Za-z0-9+/$=]{20,120}/,
  },
  // Outputs and drawn passwords of Terraform's state.
  {
    on: ['"sensitive', 'random_password'],
    type: 'password',
    after:
      /(?:"sensitive"\s{0,4}:\s{0,4}true,[^{}]{0,120}?"value"|random_password[\s\S]{0,400}?"?result"?)\s{0,4}[:=]\s{0,4}"([^"\\]{4,200})"/,
    is: isQuoted,
  },
  // https://www.rfc-editor.org/rfc/rfc4616, and the prompt `Password:` of AUTH LOGIN.
  {
    on: ['AUTH PLAIN ', '334 UGFzc3dvcmQ6'],
    type: 'password',
    after: /(?:AUTH PLAIN|334 \w+)(?:\s|\\[rn]|[CS<>]: ){1,6}([A-Za-z0-9+/]{8,400}={0,2})(?![\w+/])/,
    is: isEncodedText,
  },
  // Lines of `.pgpass` and of Postfix's `sasl_passwd`.
  {
    on: [':5432:', ':*:', ']:587 ', ']:465 '],
    type: 'password',
    before: /(?:^|["'\s])[\w.*[-]{1,60}$/,
    after: /(?::(?:\d{2,5}|\*):[\w*-]{1,63}:[\w*-]{1,63}|\]:\d{3} {1,8}[\w.@+-]{1,80}):([^\s:"'`]{4,100})/,
    is: isTypedPassword,
  },
  // https://en.wikipedia.org/wiki/QR_code#Joining_a_Wi-Fi_network
  {
    on: ['WIFI:'],
    type: 'password',
    after: /WIFI:[^\n"']{0,120}?(?<=[:;])P:"?((?:\\.|[^\s;"\\]){4,100})/,
    is: isTypedPassword,
  },
  // Functions that take nothing but a password.
  {
    on: ['".toCharArray', "' | password_hash"],
    type: 'password',
    before: /["']([^"'\s]{4,99})$/,
    is: isSaid,
  },
  // https://www.rfc-editor.org/rfc/rfc7616#section-3.4
  {
    on: ['Digest '],
    type: 'credential',
    after: /Digest[ \t][^\n]{0,600}?\bresponse=\\{0,8}"([0-9a-f]{32,128})/i,
  },
  // What proves that a request is the sender's: in base64 it is in the thoughts of models too.
  {
    on: ['ignature'],
    type: 'credential',
    before: /(?:^|[^A-Za-z])s$/i,
    after:
      /ignature(?:-\d{3})?\\{0,8}["']?\s{0,2}[:=]\s{0,3}\\{0,8}["']?(?:t=\d{1,12},)?(?:\w{2,6}[=,])?([0-9a-f]{40,128}|[A-Za-z0-9+/]{27,100}={0,2})(?![\w+/=-])/,
    is: (value) => looksRandom(value, 16),
  },
  // Lines of `/etc/ppp/chap-secrets`.
  {
    on: [' * ', '\t*\t', 'pppd', 'l2tpd'],
    type: 'password',
    before: /(?:^|[\n: ])["']?[\w.@-]{1,40}["']?\s{0,20}$/,
    after: /(?:\s\*|\w+["']?)\s{1,20}["']?([^\s"'*]{4,64})["']?\s{1,4}(?:\*|[\d.:-]{1,40})(?=\s|$)/,
    is: isSaid,
  },
  { on: ['{PLAIN}', '{plain}'], type: 'password', after: /\{\w+\}([^\s:"']{4,100})/, is: isTypedPassword },
  // Azure's table of keys.
  { on: ['FULL  '], type: 'azure-key', after: /FULL {2,20}([A-Za-z0-9+/]{86}==)/ },
  // A file of cookies, as curl writes it.
  {
    on: ['\tTRUE\t/', '\tFALSE\t/'],
    type: 'credential',
    after: /\t[A-Z]+\t\/[^\s]{0,60}\t[A-Z]+\t\d{1,12}\t[\w.%-]{1,80}\t([^\s"]{16,4000})/,
    is: (value) => looksRandom(value, 16),
  },
  // A script of ftp.
  {
    on: ['user '],
    type: 'password',
    before: /(?:^|\n|\\n|ftp> )$/,
    after: /user [\w.@-]{1,40} ([^\s"'\\]{6,64})(?=["']?(?:\n|\\n|$))/,
    is: isSaid,
  },
  // Tcl, and connection strings of ODBC.
  {
    on: ['set password {', 'set pass {', 'set passwd {', 'PWD={', 'Pwd={'],
    type: 'password',
    after: /(?:set )?\w+[ =]\{([^\s{}]{4,100})\}/,
    is: isTypedPassword,
  },
  // A key pair of Solana: 64 bytes as numbers.
  {
    on: ['id.json', 'ecretKey', 'eypair'],
    type: 'private-key',
    after: /[^[\n]{0,60}\s?(\[\s{0,4}(?:\d{1,3}[\s,]{1,8}){63}\d{1,3}\s{0,4}\])/,
  },
  {
    on: ['PuTTY-User-Key-File-'],
    type: 'private-key',
    after:
      /PuTTY-User-Key-File-\d: [\s\S]{1,4000}?Private-Lines: \d{1,3}(?:\s{1,40}[A-Za-z0-9+/]{8,64}={0,2}){1,60}(?:\s{1,8}Private-MAC: [0-9a-f]{20,80})?/,
  },
  {
    on: ['ATATT3'],
    type: 'atlassian-token',
    after: /ATATT3[\w=.-]{150,400}(?:(?:%3[dD]|\\{1,4}=)[0-9A-F]{8})?/,
  },
  // `app id|app secret`: only the name before it distinguishes it from other numbers.
  {
    on: ['facebook'],
    anyCase: true,
    type: 'facebook-token',
    after: /facebook[^\n]{0,40}?(?<!\d)(\d{13,17}(?:\||%7C)[\w-]{20,40})/i,
  },
  // `name:password` of two hex numbers.
  {
    on: ['sidekiq', 'contribsys'],
    anyCase: true,
    type: 'credential',
    after:
      /[\w.-]{0,40}\\{0,8}["'`]?[ \t]{0,3}(?:[:.?]{0,3}=>?|:|,|>)\s{0,8}\\{0,8}["'`]?([0-9a-f]{8}:[0-9a-f]{8})(?![\w:])/i,
  },
  // Addresses that are secrets themselves.
  {
    on: ['hooks.slack.com/', 'hooks.zapier.com/hooks/catch/'],
    type: 'webhook',
    after:
      /[\w.]+\/(?:services\/T\w{5,14}\/B\w{5,14}\/\w{8,40}|(?:workflows|triggers)\/[\w+/-]{40,120}|hooks\/catch\/\d{4,10}\/[a-z0-9]{5,10})/,
  },
  // A private server of gems.
  {
    on: ['BUNDLE_', 'bundle config '],
    type: 'password',
    after:
      /BUNDLE_\w+["']?\s{0,3}[:=]\s{0,3}["']?[\w.-]{1,40}:([^\s"':]{8,64})|bundle config [^\n]{1,60} [\w.-]{1,40}:([^\s"':]{8,64})/,
    is: isSaid,
  },
  // Constants and functions whose only argument is `name:password`.
  {
    on: 'CURLOPT_USERPWD CURLOPT_PROXYUSERPWD b64encode( btoa( base64_encode( EncodeToString('.split(' '),
    type: 'password',
    after:
      /\w+\(?[ \t]{0,8}(?:,|=>?|:)?[ \t]{0,8}(?:\[\]byte\()?[bu@]?\\{0,8}["'`][^:"'`\s]{0,64}:([^"'`\\\s]{4,200})\\{0,8}["'`]/,
    is: isTypedPassword,
  },
  {
    // The second: `expect "assword:" { send "…\r" }`, and the same in Python.
    on: ['SecureString', 'ssword:', 'ssword"', 'ssphrase:'],
    type: 'password',
    after:
      /SecureString(?:(?:[ \t]{1,4}-\w{1,20}){0,3}[ \t]{1,4}|[^\n]{0,60}?value["']?[ \t]{0,3}[:=]?[ \t]{0,3})["']?([^\s"']{4,128})|ss\w+:?["'*?\\ \t{}\n)]{1,12};?\s{0,20}(?:\w{1,12}\.)?send(?:_user|line)?[ \t(]{1,4}(?:--[ \t])?\\{0,8}["']([^"'\s\\]{4,128})/i,
    is: isTypedPassword,
  },
]

/** How far before a literal a place may begin. */
const reach = 200

export const placeTriggers: readonly Trigger[] = places.flatMap((place) => {
  let after: RegExp | undefined
  const match = (scan: Scan, at: number, end: number): void => {
    const { text, report } = scan
    // Made at the first literal, since most texts hold few.
    after ??= new RegExp(place.after ?? '', `${place.after?.flags ?? ''}dy`)
    after.lastIndex = at
    const tail = after.exec(text)
    if (tail === null) return
    const from = Math.max(0, at - reach)
    const head = place.before?.exec(text.slice(from, at))
    if (head === null) return
    const inTail = tail.indices?.slice(1).find((group) => group !== undefined)
    const inHead = head?.[1]
    const start = inHead === undefined ? (inTail?.[0] ?? at) : from + head!.index + head![0].indexOf(inHead)
    const stop =
      inHead === undefined ? (inTail?.[1] ?? Math.max(end, after.lastIndex)) : start + inHead.length
    if (place.is?.(text.slice(start, stop)) !== false) report(start, stop, place.type)
  }
  return exactTriggers(place.on, match).map((trigger) => ({ ...trigger, exact: place.anyCase !== true }))
})
