import { exactTriggers, type Scan, type Trigger } from './scan.ts'
import type { SecretName } from './secret-names.ts'
import { isPromise, isSecretValue } from './secret-value.ts'
import { lineStart, matchLength } from './value-reader.ts'

/** The end of a path, a variable or a field, and what may follow it in a command. */
const tail =
  /["'})\]]{0,3}(?:[ \t]{1,4}(?:<==|[|;>&<][^\n]{0,80}|-?[\w./:-]{1,80}(?:[ =][\w.-]{1,60})?)){0,5}[ \t]{0,4}\r?\n/y
/** A line that prints a value: a command, or the head of a file. */
const prints =
  /^(?:[^\n$#>%]{0,60}[$#>%][ \t]{1,2})?(?:sudo[ \t]{1,4})?(?:cat|head|tail|less|more|bat|type|Get-Content|gc|echo|printenv|vault|op|pass|bw|security|aws|gcloud|az|kubectl|oc|docker|podman|terraform|tofu|pulumi|heroku|fly|gh|doppler|chamber|sops)[ \t]|^(?:==>|file(?:name)?:)[ \t]/i
const pathOnly = /^(?:\.{0,2}[\w-]{0,40}\/){1,8}[\w.-]{1,60}\s*$/
/** A line with nothing but a value. */
const onlyValue =
  /[ \t]{0,8}(?:\d{1,6}[→\t])?["']?([^\s"'`]{5,4096}|[A-Za-z][a-z]+(?: [a-z]+){1,23})["']?[ \t]{0,4}(?=\r?\n|\\n|$)/y
/** The start of a here document, before or after the name of the file that it is written to. */
const hereDocument = /<<[-~]?[ \t]?["'\\]?\w{1,20}/

/** The value of a file, a variable or a field whose name says secret: on the next line, printed or written there. */
export function matchNamed(scan: Scan, start: number, end: number, name: SecretName): void {
  const { text } = scan
  if ((!isPromise(name.kind) && name.kind !== 'auth') || scan.commandBudget < 0) return
  const length = matchLength(tail, text, end)
  if (length === 0) return
  const from = lineStart(text, start, 300) ?? start - 300
  const line = text.slice(from, end + length)
  scan.commandBudget -= line.length
  if (prints.test(line) || hereDocument.test(line) || pathOnly.test(line))
    reportLine(scan, end + length, name)
}

function reportLine(scan: Scan, at: number, name: SecretName): void {
  onlyValue.lastIndex = at
  const value = onlyValue.exec(scan.text)?.[1]
  if (value === undefined || !isSecretValue(name, value, 'setting')) return
  const start = at + scan.text.slice(at).indexOf(value)
  scan.report(start, start + value.length, name.type)
}

const generates = /[^\n]{0,60}\r?\n/y

/** Values that a program draws, `openssl rand -hex 32`, and that a mail server asks for, in base64. */
export const generatorTriggers: readonly Trigger[] = exactTriggers(
  ['openssl rand', 'pwgen', '334 UGFzc3dvcmQ6'],
  (scan, _, end) => {
    const length = matchLength(generates, scan.text, end)
    if (length > 0) reportLine(scan, end + length, { kind: 'secret', type: 'secret' })
  },
)
