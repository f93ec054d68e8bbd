import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { classifyName } from './secret-names.ts'
import { isPromise, isSecretValue } from './secret-value.ts'
import { listWords, type ShellWord, shellWords } from './shell-words.ts'
import { isMachineMade, isTypedPassword } from './typed-password.ts'
import { lineStart, matchLength } from './value-reader.ts'

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
  /** Operands are `NAME=secret`. */
  readonly assigned?: boolean
  /** The command has this word or these letters among its short options; otherwise it takes no password. */
  readonly needs?: RegExp
}

/** Options whose value is a password, as the next word, by the programs that have them. */
const options: Readonly<Record<string, string>> = {
  '-p': 'sshpass, nxc, crackmapexec, evil-winrm, mongosh, mongodump, mongorestore, usermod, useradd, ncftpput, psexec, twine, mysql, mysqldump, mysqladmin, mariadb, mongo, clickhouse-client, rsync, influx, smbclient, docker login, podman login, helm registry login, az login',
  '-P': 'mosquitto_pub, mosquitto_sub, zip, unzip, ipmitool, sqlcmd, bcp, isql',
  '-w': 'ldapsearch, ldapadd, ldapmodify, ldappasswd, ldapwhoami, security',
  '-s -a': 'ldappasswd',
  '-A -X': 'snmpwalk, snmpget',
  '-N -P': 'ssh-keygen',
  '-k -K -passwd': 'openssl',
  '-a --pass': 'redis-cli',
  '--pw': 'mosquitto_pub, mosquitto_sub',
  '--passphrase': 'gpg',
  '--plaintext': 'caddy hash-password',
  '--password': 'usermod, useradd',
  '-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass': 'keytool, jarsigner',
  '--body -b': 'gh secret set',
}

/** `user/password@db`. */
const oracleLogin = /^[\w.$#-]{1,64}\/([^\s@]{3,128})(?:@|$)/

/** Options whose value is glued to them. */
const gluedOptions: Readonly<Record<string, string>> = {
  '-p': 'sshpass, mysql, mysqldump, mysqladmin, mariadb, 7z, 7za, unrar',
  '-hp': 'unrar',
  '/p:': 'xfreerdp',
  '-p: -password:': 'winrs',
}

const programs: Readonly<Record<string, Program>> = {
  htpasswd: { needs: /^-[a-zA-Z]*b/, operand: -1 },
  rabbitmqctl: { needs: /^(?:add_user|change_password|authenticate_user)$/, operand: 2 },
  mosquitto_passwd: { needs: /^-[a-zA-Z]*b/, operand: -1 },
  'net user': { needs: /^(?![/*-])./, operand: 1 },
  'net use': { needs: /^\/u(?:ser)?:/i, operand: -1 },
  sqlplus: { operandPair: oracleLogin },
  expdp: { operandPair: oracleLogin },
  impdp: { operandPair: oracleLogin },
  smbclient: { pairs: { '-U': '%', '--user': '%' } },
  rpcclient: { pairs: { '-U': '%', '--user': '%' } },
  openssl: { pairs: { '-passin': ':', '-passout': ':', '-pass': ':', '-password': ':' } },
  apksigner: { pairs: { '--ks-pass': ':', '--key-pass': ':' } },
  lftp: { pairs: { '-u': ',' } },
  'alias set': { operand: -1, needs: /^https?:/ },
  'secrets set': { assigned: true },
  'secret set': { assigned: true },
  'poetry config': { operand: -1, needs: /^(?:http-basic|pypi-token)\./ },
  'user-secrets set': { operand: 1, needs: /password|secret|token|key/i },
  'npm config set': { operand: 1, needs: /(?:_authToken|_auth|_password)$/ },
  'aws configure set': { operand: 1, needs: /(?:secret_access_key|session_token)$/ },
  'git config': { operand: 1, needs: /(?:password|token|extraheader)$/i },
}

/** Programs with one operand that is a password, by its number. */
const operands = [
  'wandb login, cargo login, snyk auth, vault login, ngrok config add-authtoken, ngrok authtoken, rclone obscure, ' +
    'openssl passwd, ansible-vault encrypt_string, nuget setapikey, reset-admin-password, bw unlock',
  'wpa_passphrase, bw login',
]

/** The programs with their options. */
function allPrograms(): [name: string, program: Program][] {
  const all = new Map(Object.entries(programs))
  for (const [kind, table] of [
    ['values', options],
    ['glued', gluedOptions],
  ] as const)
    for (const [words, names] of Object.entries(table))
      for (const name of names.split(', ')) {
        const program = all.get(name)
        all.set(name, { ...program, [kind]: [...(program?.[kind] ?? []), ...words.split(' ')] })
      }
  for (const [operand, names] of operands.entries())
    for (const name of names.split(', ')) all.set(name, { operand })
  return [...all]
}

/** Options of any program that may hold a password or a name and a password: only what looks like nothing else. */
const anyOptions = ' -p | -P | -pw | -w | -K | -rp | /rp | --value | --secret-string '.split('|')
const pairOptions = ' -a | -u | -U | -auth | --auth | --creds | --src-creds | --dest-creds | --user '.split(
  '|',
)
/** Commands that take a secret from their input. */
const readsSecret =
  /\b(?:secrets?|chpasswd|passwd|passwords?|passphrase|with-token|token|api[-_]?key|login|kinit|credentials?|env (?:add|set))\b|-stdin\b|sudo -S\b|\bpass insert\b|\bcryptsetup\b/i

/** Passwords on the command lines of programs that take them as an option or as an operand. */
export const commandTriggers: readonly Trigger[] = [
  ...allPrograms().map(([name, program]) => ({
    literal: name.padEnd(3),
    exact: true,
    match: (scan: Scan, at: number) => matchCommand(scan, at, name, program),
  })),
  ...exactTriggers(anyOptions, (scan, _, end) => matchAnyOption(scan, end, false)),
  ...exactTriggers(['"-p"', "'-p'", '-p\\"'], (scan, _, end) => matchAnyOption(scan, end, false)),
  ...exactTriggers(pairOptions, (scan, _, end) => matchAnyOption(scan, end, true)),
  ...exactTriggers(['<<<'], matchHereString),
  ...exactTriggers(['echo ', 'printf '], matchWritten),
  ...exactTriggers(['ssword:', 'ssphrase:'], matchSent),
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
  if (program.assigned === true)
    for (const word of operands)
      if (/^[A-Z_]\w*=/.test(word.text)) reportTyped(scan, word, word.text.indexOf('=') + 1)
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
  if (!/^[-/]/.test(word.text)) return
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

/** `-p …`, `-u name:…` of a program that is not known. */
function matchAnyOption(scan: Scan, end: number, isPair: boolean): void {
  const [word] = /["']/.test(scan.text[end - 1] as string)
    ? listWords(scan.text, end)
    : shellWords(scan.text, end)
  if (scan.commandBudget < 0 || word === undefined) return
  scan.commandBudget -= word.end - end + 20
  if (isPair && !word.text.includes(':')) return
  const value = word.text.slice(word.text.indexOf(':') + 1)
  if (isMachineMade(value) && !/^[\da-f]+$|[/\\]/.test(value))
    reportTyped(scan, word, word.text.length - value.length)
}

const toFile =
  /["'\\]{0,3}[ \t]{0,8}(?:>{1,2}|\|[ \t]{0,4}(?:sudo[ \t]{1,4})?tee(?:[ \t]{1,4}-a)?)[ \t]{0,8}["']?(?:[\w.~${}-]{0,60}\/){0,8}([\w.-]{1,60})(?![\w/-])/y
const toProgram = /["'\\]{0,3}[ \t]{0,8}\|[^\n]{0,200}/y

/** What `echo` or `printf` says to a file whose name says secret, or to a program that takes a secret. */
function matchWritten(scan: Scan, _: number, end: number): void {
  const { text } = scan
  if (scan.commandBudget < 0) return
  const word = shellWords(text, end).at(-1)
  scan.commandBudget -= (word?.end ?? end) - end + 20
  if (word === undefined) return
  toFile.lastIndex = word.end
  const name = classifyName(toFile.exec(text)?.[1] ?? '')
  if (name !== undefined && isPromise(name.kind) && isSecretValue(name, word.text, 'setting'))
    scan.report(word.start, word.end, name.type)
  const program = text.slice(word.end, word.end + matchLength(toProgram, text, word.end))
  if (readsSecret.test(program)) reportSaid(scan, word, program.includes('chpasswd'))
}

const sends = /["'*?\\ \t{}\n]{1,12};?\s{0,20}send(?:_user)?[ \t]{1,4}(?:--[ \t])?/y

/** `expect "assword:" { send "…\\r" }`. */
function matchSent(scan: Scan, _: number, end: number): void {
  const length = matchLength(sends, scan.text, end)
  const [word] = length === 0 ? [] : shellWords(scan.text, end + length)
  if (word !== undefined) reportTyped(scan, word, 0, word.text.replace(/(?:\\+[rn])+$/, '').length)
}

/** `kinit <<< '…'`. */
function matchHereString(scan: Scan, at: number): void {
  const before = scan.text.slice(lineStart(scan.text, at, 120) ?? at - 120, at)
  const name = before.match(/[\w.-]+/g)?.some((word) => classifyName(word) !== undefined)
  if (name !== true && !readsSecret.test(before)) return
  const [word] = shellWords(scan.text, at + 3)
  if (word !== undefined) reportSaid(scan, word, false)
}

/** The lines of a word; `isPair`: each is a name and a password. */
function reportSaid(scan: Scan, word: ShellWord, isPair: boolean): void {
  for (const { 0: line, index } of word.text.matchAll(/(?:(?!\\n).)+/gs)) {
    const from = index + (isPair ? line.indexOf(':') + 1 : 0)
    if (isPair ? from > index : !/^\w{1,20}=/.test(line))
      reportTyped(scan, word, from, index + line.length - from)
  }
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
