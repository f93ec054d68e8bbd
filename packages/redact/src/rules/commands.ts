import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import { classifyName } from './secret-names.ts'
import { isChosen, isMachineMade, isPromise, isSaid, isSecretValue, isTypedPassword } from './secret-value.ts'
import { listWords, type ShellWord, shellWords } from './shell-words.ts'
import { lineStart, matchLength } from './value-reader.ts'
import { looksRandom } from './value-shape.ts'

/**
 * Where programs take a password, a line for each: their names, and forms with `_` for it. `-p _` is the next word,
 * `-p_` the rest of the word, `-u *:_` what follows the sign in it; `0` is the first operand, `last` the last of several,
 * `1+` each from the second on that looks like a password;
 * `NAME=_` any setting, `*\/_@` an operand with a name before it. A form in brackets is what a word of the command must match.
 */
const table = `
sshpass, mysql, mysqldump, mysqladmin, mariadb | -p _ | -p_
usermod, useradd, hydra, unlock-keychain, login | -p _
mosquitto_pub, mosquitto_sub, zip, unzip, ipmitool, sqlcmd, bcp, isql | -P _ | --pw _
7z, 7za, unrar, rar | -p_ | -hp_
xfreerdp | /p:_
ldapsearch, ldapadd, ldapmodify, ldapwhoami, ldappasswd, security | -w _
snmpwalk, snmpget | -A _ | -X _ | -c _
pdftotext, pdfinfo, pdfimages, pdftoppm | -upw _ | -opw _
ssh-keygen | -N _ | -P _
openssl | -k _ | -K _ | -passwd _ | -passin *:_ | -passout *:_ | -pass *:_ | -password *:_
redis-cli | -a _ | --pass _
caddy hash-password, rootpw | --plaintext _
gh secret set | --body _ | -b _
signtool, signtool.exe | /p _
doctl auth init, influx, influxdb | -t _
curl, wget, http, https, xh, httpie, etcdctl | -u *:_ | -u*:_ | -U *:_ | -a *:_ | --user *:_ | --proxy-user *:_ | --auth *:_ | --oauth2-bearer _
qpdf | (^--encrypt$) | 0+
apksigner | --ks-pass *:_ | --key-pass *:_
lftp, ftp | -u *,_
htpasswd, mosquitto_passwd | (^-[a-zA-Z]*b) | last
rabbitmqctl | (^(?:add_user|change_password|authenticate_user)$) | 2
net user | (^(?![/*-]).) | 1
net use | (^/u(?:ser)?:) | last
sqlplus, sqlldr, expdp, impdp, CONNECT | */_@
alias set | (^https?:) | last
secrets set, secret set | NAME=_
poetry config, composer config | (^(?:http-basic|pypi-token|bearer|(?:github|gitlab)-(?:oauth|token))\\.) | last
wandb login, cargo login, snyk auth, vault login, ngrok config add-authtoken, ngrok authtoken, rclone obscure | 0
openssl passwd, ansible-vault encrypt_string, nuget setapikey, reset-admin-password, bw unlock, operator unseal, importprivkey | 0
wpa_passphrase, bw login, nuget push, b2 authorize-account | 1
user add, users add, admins add, user create, add-user.sh, auth test, prosodyctl, ejabberdctl, createUser | 1+
`

/** One form of a line of the table. */
interface Form {
  readonly option?: string | undefined
  /** The value is in the word of the option. */
  readonly glued?: boolean
  /** The value follows this sign. */
  readonly sign?: string | undefined
  readonly operand?: number
  /** What an operand must match: its group is the value. */
  readonly holds?: RegExp
  /** Operands before this one hold none, and others must look like a password. */
  readonly from?: number
  readonly needs?: RegExp
}

function readForm(form: string): Form {
  if (form.startsWith('(')) return { needs: new RegExp(form.slice(1, -1), 'i') }
  if (form === 'last') return { operand: -1 }
  if (/^\d$/.test(form)) return { operand: Number(form) }
  if (/^\d\+$/.test(form)) return { from: Number(form[0]), holds: /(.+)/s }
  if (form === 'NAME=_') return { holds: /^[A-Z_]\w*=(.+)/s }
  if (form === '*/_@') return { holds: /^[\w.$#-]{1,64}\/([^\s@]{3,128})(?:@|$)/ }
  const [, option, blank, sign] = /^(\S+?)( ?)(?:\*(.))?_$/.exec(form) ?? []
  return { option, glued: blank === '', sign }
}

/** The programs with their forms. */
function programsOf(lines: string): [name: string, forms: readonly Form[]][] {
  return lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [names = '', ...forms] = line.split(' | ')
      const read = forms.map(readForm)
      return names.split(', ').map((name): [string, readonly Form[]] => [name, read])
    })
}

/** Options of any program that may hold a password or a name and a password: only what looks like nothing else. */
const anyOptions = ' -p | -P | -pw | -w | -K | -t | -k | -rp | /rp | /p | --value | --secret-string '.split(
  '|',
)
const pairOptions = ' -a | -A | -u | -U | -auth | --auth |-creds | --user |user='.split('|')
/** Commands that take a secret from their input. */
const readsSecret =
  /\b(?:secrets?|\w*passwd|passwords?|passphrase(?:-fd)?|with-token|token|api[-_]?key|login|kinit|credentials?|env (?:add|set)|load-key)\b|-stdin(?:pass)?\b|sudo -S\b|\bpass insert\b|\bcryptsetup\b/i

/** Passwords on the command lines of programs that take them as an option, as an operand or from their input. */
export const commandTriggers: readonly Trigger[] = [
  ...programsOf(table).map(([name, forms]) => ({
    literal: name.padEnd(3),
    exact: true,
    match: (scan: Scan, at: number) => matchCommand(scan, at, name, forms),
  })),
  ...exactTriggers(anyOptions, (scan, _, end) => matchAnyOption(scan, end, false)),
  ...exactTriggers(['"-p"', "'-p'", '-p\\"'], (scan, _, end) => matchAnyOption(scan, end, false)),
  ...exactTriggers(pairOptions, (scan, _, end) => matchAnyOption(scan, end, true)),
  ...exactTriggers(['<<<'], matchHereString),
  ...exactTriggers(['echo ', 'printf '], matchWritten),
]

function matchCommand(scan: Scan, at: number, name: string, forms: readonly Form[]): void {
  const { text } = scan
  if (/[\w.-]/.test(text[at - 1] ?? '') && !text.startsWith('\\n', at - 2)) return
  if (scan.commandBudget < 0) return
  const end = at + name.length
  const quote = matchLength(/\\{0,8}["']/y, text, end)
  if (quote === 0 && !/[ \t]/.test(text[end] ?? '')) return
  const words = quote > 0 ? listWords(text, end + quote) : shellWords(text, end)
  scan.commandBudget -= (words.at(-1)?.end ?? at) - at + 20
  const operands = words.filter((word) => !/^-|^\/[a-z]+(?::|$)/i.test(word.text))
  for (const { needs, option, operand, from, holds, ...form } of forms) {
    if (needs !== undefined && !words.some((word) => needs.test(word.text))) return
    if (option !== undefined) matchOption(scan, words, option, form)
    const chosen = operand === -1 && operands.length < 2 ? undefined : operands.at(operand ?? operands.length)
    if (chosen !== undefined) reportTyped(scan, chosen, 0)
    for (const word of operands.slice(from)) {
      const value = holds?.exec(word.text)?.[1]
      if (value !== undefined && (from === undefined || isSaid(value)))
        reportTyped(scan, word, word.text.indexOf(value), value.length)
    }
  }
}

function matchOption(scan: Scan, words: readonly ShellWord[], option: string, { glued, sign }: Form): void {
  for (const [index, word] of words.entries()) {
    if (!word.text.startsWith(option)) continue
    const isWhole = word.text === option
    const rest = glued === true ? option.length : option.length + 1
    const isGlued = glued === true || word.text[option.length] === '='
    const holder = isWhole && glued !== true ? words[index + 1] : !isWhole && isGlued ? word : undefined
    if (holder === undefined || (holder !== word && holder.text.startsWith('-'))) continue
    const from = holder === word ? rest : 0
    const found = sign === undefined ? from : holder.text.indexOf(sign, from) + 1
    const name = holder.text.slice(from, found - 1).replace(/^["']|["']$/g, '')
    if (sign !== undefined && (found === 0 || /^(?:file|env|fd|stdin)$/.test(name))) continue
    if (holder.text.slice(found) !== name) reportTyped(scan, holder, found)
  }
}

/** `-p …`, `-u name:…` of a program that is not known. */
function matchAnyOption(scan: Scan, end: number, isPair: boolean): void {
  const [word] = /["']/.test(scan.text[end - 1] as string)
    ? listWords(scan.text, end)
    : shellWords(scan.text, end, 1)
  if (scan.commandBudget < 0 || word === undefined) return
  scan.commandBudget -= word.end - end + 20
  if (isPair && !/^[^+:%][^:%]*[:%]/.test(word.text)) return
  const value = isPair ? word.text.slice(word.text.search(/[:%]/) + 1) : word.text
  // A key as the name of a user without a password.
  if (value === '' && looksRandom(word.text.slice(0, -1), 20))
    reportTyped(scan, word, 0, word.text.length - 1)
  if (/^\d+$|[/\\]/.test(value)) return
  const isSure = isPair
    ? scan.text[end - 2] !== 'a'
    : scan.text.startsWith('pw', end - 3) || isLogin(scan.text, word.start)
  if (
    isSure ? isSaid(value) || looksRandom(value) : isMachineMade(value) && !/^[\da-f]+(?:\.\.|$)/.test(value)
  )
    reportTyped(scan, word, word.text.length - value.length)
}

/** Whether the line up to an offset names a user, a program that logs in, or the secret: then `-p` is no port and no package. */
function isLogin(text: string, at: number): boolean {
  const line = text.slice(lineStart(text, at, 300) ?? at - 300, at)
  const named = / --?(?:name|key)[ =]["']?([\w./-]{3,60})["']? --value["' =]*$/.exec(line)?.[1] ?? ''
  if (isPromise(classifyName(named)?.kind ?? 'key')) return true
  return /\b(?:login|logon|auth|sign)\b|crypt|\.(?:pfx|p12|jks|keystore|keychain|pdf)\b|[\s"'](?:-[uUl]|--?user(?:name)?|\/r?u)["']?[\s,=:]|\\\w{1,20}\b|\/user:/i.test(
    line,
  )
}

const toFile =
  /["'\\]{0,3}[ \t]{0,8}(?:>{1,2}|\|[ \t]{0,4}(?:sudo[ \t]{1,4})?tee(?:[ \t]{1,4}-a)?)[ \t]{0,8}["']?(?:[\w.~${}-]{0,60}\/){0,8}([\w.-]{1,60})(?![\w/-])/y
const toProgram = /["'\\]{0,3}[ \t]{0,8}(?:;[^\n|]{1,100})?\)?[ \t]{0,8}\|[^\n]{0,200}/y

/** Programs that read any text. */
const filters =
  /\|\s*(?:sudo )?(?:[a-z]?grep|rg|cat|tac|tee|sed|g?awk|jq|yq|base\d\d|\w*sum|md5|xxd|od|hexdump|wc|tr|cut|sort|uniq|head|tail|rev|fold|bc|dc|xargs|nc|column|less|python3?|node|perl|ruby|php|bash|sh|\w*sql|sqlite3|git|gzip|\.)\b/

/** A program that prints a password, as the value of a setting. */
const givesPassword = /pass[\w-]*["']?[ \t]{0,3}[=:]?[ \t]{0,3}(?:["']|<\()(?:echo|printf) $/i

/** What `echo` or `printf` says to a file whose name says secret, or to a program that takes a secret. */
function matchWritten(scan: Scan, _: number, end: number): void {
  const { text } = scan
  if (scan.commandBudget < 0) return
  const isGiven = givesPassword.test(text.slice(Math.max(0, end - 60), end))
  const word = shellWords(text, end).at(isGiven ? 0 : -1)
  scan.commandBudget -= (word?.end ?? end) - end + 20
  if (word === undefined) return
  if (isGiven) reportSaid(scan, word, false)
  toFile.lastIndex = word.end
  const name = classifyName(toFile.exec(text)?.[1] ?? '')
  if (name !== undefined && isPromise(name.kind) && isSecretValue(name, word.text, 'setting'))
    scan.report(word.start, word.end, name.type)
  else if (name?.kind === 'auth' && word.text.includes('\\n')) reportSaid(scan, word, false)
  const program = text.slice(word.end, word.end + matchLength(toProgram, text, word.end))
  const isAny = program !== '' && !filters.test(program) && word.text.split('\\n').some(isSaid)
  if (isAny || readsSecret.test(program)) reportSaid(scan, word, program.includes('chpasswd'))
}

/** `kinit <<< '…'`. */
function matchHereString(scan: Scan, at: number): void {
  if (scan.text[at + 3] === '<' || scan.text[at - 1] === '<') return
  const before = scan.text.slice(lineStart(scan.text, at, 120) ?? at - 120, at)
  const name = before.match(/[\w.-]+/g)?.some((word) => classifyName(word) !== undefined)
  const [word] = shellWords(scan.text, at + 3, 1)
  const isAny = name === true || readsSecret.test(before)
  if (word !== undefined && (isAny || (!filters.test(`|${before.trimStart()}`) && isMachineMade(word.text))))
    reportSaid(scan, word, before.includes('chpasswd'))
}

/** The lines of a word; `isPair`: each is a name and a password. */
function reportSaid(scan: Scan, word: ShellWord, isPair: boolean): void {
  for (const { 0: line, index } of word.text.matchAll(/(?<=^|\\n)(?:(?!\\n).)+/gs)) {
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
  if (isTypedPassword(value) || (word.quoted && isChosen(value, 'quoted')))
    scan.report(word.start + from + open, word.start + from + part.length - close, 'password')
}
