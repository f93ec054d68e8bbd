import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { classifyName } from './secret-names.ts'
import { isPromise, isSecretValue } from './secret-value.ts'
import { listWords, type ShellWord, shellWords } from './shell-words.ts'
import { isTypedPassword } from './typed-password.ts'
import { matchLength } from './value-reader.ts'

/** How a program takes a secret on its command line. */
interface Program {
  /** Options whose value is a password, as the next word. */
  readonly values?: readonly string[]
  /** Options whose value is glued to them: `-pX`. */
  readonly glued?: readonly string[]
  /** Options whose value holds a password after this sign: `-U user%password`. */
  readonly pairs?: Readonly<Record<string, string>>
  /** Number of the operand that is a password, counted from 0 without options; -1 is the last of several. */
  readonly operand?: number
  /** The operand holds a password after this sign: `user/password@db`. */
  readonly operandPair?: RegExp
  /** The command has this word or these letters among its short options; otherwise it takes no password. */
  readonly needs?: RegExp
}

const programs: Readonly<Record<string, Program>> = {
  htpasswd: { needs: /^-[a-zA-Z]*b/, operand: -1 },
  rabbitmqctl: { needs: /^(?:add_user|change_password|authenticate_user)$/, operand: 2 },
  mosquitto_passwd: { needs: /^-[a-zA-Z]*b/, operand: -1 },
  mosquitto_pub: { values: ['-P', '--pw'] },
  mosquitto_sub: { values: ['-P', '--pw'] },
  'net user': { needs: /^(?![/*-])./, operand: 1 },
  sqlplus: { operandPair: /^[\w.$#-]{1,64}\/([^\s@]{3,128})(?:@|$)/ },
  ldapsearch: { values: ['-w'] },
  ldapadd: { values: ['-w'] },
  ldapmodify: { values: ['-w'] },
  ldappasswd: { values: ['-w', '-s', '-a'] },
  ldapwhoami: { values: ['-w'] },
  smbclient: { pairs: { '-U': '%', '--user': '%' } },
  rpcclient: { pairs: { '-U': '%', '--user': '%' } },
  zip: { values: ['-P'] },
  unzip: { values: ['-P'] },
  '7z': { glued: ['-p'] },
  '7za': { glued: ['-p'] },
  unrar: { glued: ['-p', '-hp'] },
  openssl: {
    pairs: { '-passin': ':', '-passout': ':', '-pass': ':', '-password': ':' },
    values: ['-k', '-passwd'],
  },
  gpg: { values: ['--passphrase'] },
  keytool: {
    values: ['-storepass', '-keypass', '-srcstorepass', '-deststorepass', '-srckeypass', '-destkeypass'],
  },
  jarsigner: { values: ['-storepass', '-keypass'] },
  apksigner: { pairs: { '--ks-pass': ':', '--key-pass': ':' } },
  sshpass: { values: ['-p'], glued: ['-p'] },
  'redis-cli': { values: ['-a', '--pass'] },
  ipmitool: { values: ['-P'] },
  snmpwalk: { values: ['-A', '-X'] },
  snmpget: { values: ['-A', '-X'] },
  nxc: { values: ['-p'] },
  crackmapexec: { values: ['-p'] },
  'evil-winrm': { values: ['-p'] },
  mongosh: { values: ['-p'] },
  mongodump: { values: ['-p'] },
  mongorestore: { values: ['-p'] },
  sqlcmd: { values: ['-P'] },
  bcp: { values: ['-P'] },
  isql: { values: ['-P'] },
  wpa_passphrase: { operand: 1 },
  usermod: { values: ['-p', '--password'] },
  useradd: { values: ['-p', '--password'] },
  lftp: { pairs: { '-u': ',' } },
  ncftpput: { values: ['-p'] },
  'net use': { needs: /^\/u(?:ser)?:/i, operand: -1 },
  psexec: { values: ['-p'] },
  winrs: { glued: ['-p:', '-password:'] },
  'wandb login': { operand: 0 },
  'cargo login': { operand: 0 },
  'snyk auth': { operand: 0 },
  'vault login': { operand: 0 },
  'ngrok config add-authtoken': { operand: 0 },
  'ngrok authtoken': { operand: 0 },
  'rclone obscure': { operand: 0 },
  'gh secret set': { values: ['--body', '-b'] },
  'npm config set': { operand: 1, needs: /(?:_authToken|_auth|_password)$/ },
  'aws configure set': { operand: 1, needs: /(?:secret_access_key|session_token)$/ },
  'git config': { operand: 1, needs: /(?:password|token|extraheader)$/i },
  'gcloud sql users set-password': { values: ['--password'] },
}

const echo = /(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?(.{1,200})$/

/** Passwords on the command lines of programs that take them as an option or as an operand. */
export const commandTriggers: readonly Trigger[] = [
  ...Object.entries(programs).map(([name, program]) => ({
    literal: name.padEnd(3),
    exact: true,
    match: (scan: Scan, at: number) => matchCommand(scan, at, name, program),
  })),
  ...exactTriggers(['chpasswd'], matchPiped(echo, ':')),
  ...exactTriggers(['--password-stdin', 'passwd --stdin', 'kinit', 'sudo -S'], matchPiped(echo)),
  ...exactTriggers(['<<<'], matchHereString),
  ...exactTriggers(['echo ', 'printf '], matchWritten),
]

function matchCommand(scan: Scan, at: number, name: string, program: Program): void {
  const { text } = scan
  if (/[\w.-]/.test(text[at - 1] ?? '') && !text.startsWith('\\n', at - 2)) return
  if (scan.commandBudget < 0) return
  const end = at + name.length
  const quote = matchLength(/\\{0,8}["']/y, text, end)
  if (quote === 0 && !/[ \t]/.test(text[end] ?? '')) return
  const words = quote > 0 ? listWords(text, end + quote) : shellWords(text, end)
  scan.commandBudget -= (words.at(-1)?.end ?? at) - at + 20
  if (program.needs !== undefined && !words.some((word) => program.needs?.test(word.text))) return
  for (const [index, word] of words.entries()) matchOption(scan, program, word, words[index + 1])
  const operands = words.filter((word) => !/^-|^\/[a-z]+(?::|$)/i.test(word.text))
  const operand = operandAt(operands, program.operand)
  if (operand !== undefined) reportTyped(scan, operand, 0)
  if (program.operandPair !== undefined)
    for (const word of operands) {
      const password = program.operandPair.exec(word.text)?.[1]
      if (password !== undefined) reportTyped(scan, word, word.text.indexOf('/') + 1, password.length)
    }
}

function operandAt(operands: readonly ShellWord[], number: number | undefined): ShellWord | undefined {
  if (number === undefined || (number === -1 && operands.length < 2)) return undefined
  return operands.at(number)
}

function matchOption(scan: Scan, program: Program, word: ShellWord, next: ShellWord | undefined): void {
  if (!word.text.startsWith('-')) return
  if (next !== undefined && program.values?.includes(word.text) === true && !next.text.startsWith('-'))
    reportTyped(scan, next, 0)
  const sign = program.pairs?.[word.text]
  if (sign !== undefined && next !== undefined) {
    const from = next.text.indexOf(sign) + sign.length
    if (from >= sign.length && !/^(?:file|env|fd|stdin)$/.test(next.text.slice(0, from - sign.length)))
      reportTyped(scan, next, from)
  }
  const glued = program.glued?.find(
    (option) => word.text.startsWith(option) && word.text.length > option.length,
  )
  if (glued !== undefined && program.values?.includes(word.text) !== true)
    reportTyped(scan, word, glued.length)
}

/** A password that is piped into a program: `echo "…" | docker login --password-stdin`. */
function matchPiped(before: RegExp, sign?: string): (scan: Scan, at: number) => void {
  return (scan, at) => {
    const { text } = scan
    if (scan.commandBudget < 0) return
    scan.commandBudget -= 2000
    const from = Math.max(0, at - 400)
    const line = text.slice(Math.max(from, text.lastIndexOf('\n', at) + 1), at)
    const pipe = line.lastIndexOf('|')
    if (pipe < 0) return
    const left = line.slice(0, pipe).trimEnd()
    const said = before.exec(left)
    if (said === null) return
    const start = at - line.length + said.index + said[0].lastIndexOf(said[1] as string)
    const word = shellWords(text, start)[0]
    if (word === undefined) return
    const skip = sign === undefined ? 0 : word.text.indexOf(sign) + 1
    if (sign === undefined || skip > 0) reportTyped(scan, word, skip)
  }
}

const toFile =
  /["'\\]{0,3}[ \t]{0,8}>{1,2}[ \t]{0,8}["']?(?:[\w.~${}-]{0,60}\/){0,8}([\w-]{1,60})(?:\.txt)?(?![\w./-])/y

/** `echo -n '…' > secrets/db_password.txt`. */
function matchWritten(scan: Scan, _: number, end: number): void {
  if (scan.commandBudget < 0) return
  const word = shellWords(scan.text, end).at(-1)
  scan.commandBudget -= (word?.end ?? end) - end + 20
  if (word === undefined) return
  toFile.lastIndex = word.end
  const name = classifyName(toFile.exec(scan.text)?.[1] ?? '')
  if (name !== undefined && isPromise(name.kind) && isSecretValue(name.kind, word.text, 'setting'))
    scan.report(word.start, word.end, name.type)
}

const readsPassword = /(?:kinit|passwd|--password-stdin|sudo -S|auth login --with-token)\b[^\n|;&]{0,80}$/

/** `kinit <<< '…'`. */
function matchHereString(scan: Scan, at: number): void {
  if (!readsPassword.test(scan.text.slice(Math.max(0, at - 120), at))) return
  const [word] = shellWords(scan.text, at + 3)
  if (word !== undefined) reportTyped(scan, word, 0)
}

/** Cost of judging a value, in characters read. */
const checkCost = 30

/** Reports the part of a word from `from` on, without quotes around that part. */
function reportTyped(scan: Scan, word: ShellWord, from: number, length = word.text.length - from): void {
  const part = word.text.slice(from, from + length)
  const open = /^\\{0,8}["']/.exec(part)?.[0].length ?? 0
  // Without quotes, a comma belongs to the sentence or the list around the command.
  const close = (open > 0 ? /\\{0,8}["']$/ : /,$/).exec(part.slice(open))?.[0].length ?? 0
  const value = part.slice(open, part.length - close)
  scan.commandBudget -= checkCost
  if (isTypedPassword(value))
    scan.report(word.start + from + open, word.start + from + part.length - close, 'password')
}
