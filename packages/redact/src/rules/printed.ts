import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import type { SecretName } from './secret-names.ts'
import { isMachineMade, isPromise, isSecretValue } from './secret-value.ts'
import { lineStart, matchLength } from './value-reader.ts'

/** The end of a path, a variable or a field, and what may follow it in a command. */
const tail =
  /(?:\.(?:txt|b64|key|json|ya?ml|env|asc|gpg))?["'})\]/]{0,3}(?:[\w-]{1,40})?(?:[ \t]{1,4}(?:<==|[|;>&<][^\n]{0,80}|-?[^\s;|&<>]{1,80}(?:[ =][\w.-]{1,60})?)){0,5}[ \t]{0,4}(?:\r?\n(?=\r?\n)){0,1}\r?\n/y
/** A line that prints a value: a command, or the head of a file. */
const prints =
  /(?:^|[\s;&|$#>%(])(?:cat|head|tail|less|more|bat|type|Get-Content|gc|echo|printenv|base64|node|python3?|ruby|php|jq|yq|grep|rg|awk|sed|cut|wg|vault|op|pass|bw|lpass|gopass|security|secret-tool|aws|gcloud|az|kubectl|oc|docker|podman|terraform|tofu|pulumi|heroku|fly|gh|doppler|chamber|sops|ssh|sqlite3|psql|mysql)[ \t]|^(?:==>|file(?:name)?:)[ \t]/i
const pathOnly = /^(?:# )?(?:\.{0,2}[\w-]{0,40}\/){1,8}[\w.-]{1,60}\s*$/
/** A line with nothing but a value. */
const onlyValue =
  /[ \t]{0,8}(?:\d{1,6}[→\t]|=>[ ]|\$\d{1,4}[ ]=[ ](?:0x[\da-f]{1,16}[ ])?|Out\[\d{1,4}\]:[ ]|[\w.@-]{1,40}[:|](?!\/\/)|[\w.@*-]{1,40}[ \t]{1,4}\*[ \t]{1,4})?b?["']?([^\s"'`]{2,4096}|[A-Za-z][a-z]+(?: [a-z]+){1,23})["']?(?:[ \t]{1,4}\*)?[ \t]{0,4}(?=\r?\n|\\n|$)/y
/** `Please use the following password to proceed:`, and the head of a field of a form, with the value below. */
const announces = /:[ \t]*\r?\n(?:\r?\n)?$|; name="[^"\n]*"\r?\n\r?\n$/
const prompt = /^[^\n$#>%]{0,60}[$#>%)\]:]{1,3}[ \t]/
/** The start of a here document, before or after the name of the file that it is written to. */
const hereDocument = /<<[-~]?[ \t]?["'\\]?\w{1,20}/

/** The rest of a command, whatever it does with a name. */
const anyTail = /[^\n]{0,120}\r?\n/y
/** A line that is a name, in the text of a page or of a form. */
const nameAlone = /^[ \t]{0,8}[A-Z][\w ]{2,30}:?[ \t]{0,4}\r?\n(?:[ \t]{0,8}\r?\n)?$/

/** The value of a file, a variable or a field whose name says secret: on the next line, printed or written there. */
export function matchPrinted(scan: Scan, start: number, end: number, name: SecretName): void {
  const { text } = scan
  if ((!isPromise(name.kind) && name.kind !== 'auth') || scan.commandBudget < 0) return
  const ends = matchLength(tail, text, end)
  const length = ends > 0 ? ends : matchLength(anyTail, text, end)
  if (length === 0) return
  const from = lineStart(text, start, 300) ?? start - 300
  const line = text.slice(from, end + length)
  scan.commandBudget -= line.length
  const isCommand = prints.test(line)
  // `pass` is also what tests and arguments do.
  if (name.isVague === true && text[start - 1] !== '/' && !prompt.test(line)) return
  const isSure = isCommand || hereDocument.test(line) || pathOnly.test(line) || announces.test(line)
  if (ends > 0 && isSure)
    reportLines(scan, end + length, (value) => isSecretValue(name, value, 'setting'), name)
  else if (isCommand || prompt.test(line) || nameAlone.test(line))
    reportLines(scan, end + length, isMachineMade, name)
}

const maxLines = 20

/** Lines that are values and nothing else; among them may be one that is not secret, such as the name of a user. */
function reportLines(scan: Scan, from: number, is: (value: string) => boolean, { type }: SecretName): void {
  let others = 0
  for (let at = from, line = 0; line < maxLines; line++) {
    onlyValue.lastIndex = at
    const found = onlyValue.exec(scan.text)
    if (found === null) return
    const start = onlyValue.lastIndex - found[0].length + found[0].lastIndexOf(found[1]!)
    if (is(found[1]!)) scan.report(start, start + found[1]!.length, type)
    else if (++others > 1) return
    at = onlyValue.lastIndex + (scan.text[onlyValue.lastIndex] === '\\' ? 2 : 1)
  }
}

const drawn: SecretName = { kind: 'secret', type: 'secret' }
const generates = /[^\n]{0,60}\r?\n(?:[ \t]{0,8}list:[^\n]{0,20}\n)?/y

/** Values that a program draws, `openssl rand -hex 32`, and that a mail server asks for, in base64. */
export const generatorTriggers: readonly Trigger[] = exactTriggers(
  [
    'openssl rand',
    'pwgen',
    'wg genkey',
    'wg genpsk',
    'secret-tool lookup',
    'gh auth token',
    'pass show ',
    'bw get password',
    'chpasswd:',
    '334 UGFzc3dvcmQ6',
  ],
  (scan, _, end) => {
    const length = matchLength(generates, scan.text, end)
    if (length > 0) reportLines(scan, end + length, (value) => isSecretValue(drawn, value, 'setting'), drawn)
  },
)
