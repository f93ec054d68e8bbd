import type { Scan } from './scan.ts'
import type { SecretName } from './secret-names.ts'
import { isMachineMade, isSecretValue, isUnnamed } from './secret-value.ts'
import { matchLength } from './value-reader.ts'

export const lineEnd = /\n|\\n/
const prompt =
  /^(?:\(\w{1,12}\)|[^\n$#>%]{0,60}[$#>%]{1,3})[ \t]|<<[-~]?[ \t]?["'\\]?\w{1,20}|^(?:# )?(?:\.{0,2}[\w-]{0,40}\/){1,8}[\w.-]{1,60}\s*$|[:>][ \t"'`*]*[{[]?$|; name="[^"\n]*"$/
/** A line with nothing but a value, perhaps behind a number, an operator or a name. */
const onlyValue =
  /[ \t]{0,8}(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,4}|\d{1,6}[→\t]|=>[ ]|\$\d{1,4}[ ]=[ ](?:0x[\da-f]{1,16}[ ])?|Out\[\d{1,4}\]:[ ]|[\w.@-]{1,40}(?:[:|](?!\/\/)|[ ]?[:=][ ])|New value:[ ]|[\w.@*-]{1,40}[ \t]{1,4}\*[ \t]{1,4})?b?["']?([^\s"'`]{2,4096}|[A-Za-z][a-z]+(?: [a-z]+){1,23})["']?,?(?:[ \t]{1,4}\*)?[ \t]{0,4}(?=\r?\n|\\n|$)/y
const blockOfYaml = /[ \t]{0,8}\w{1,20}:[ ]\|\n/y
const maxLines = 20

/** Lines that are values and nothing else; among them may be one that is not secret, such as the name of a user. */
export function reportLines(
  scan: Scan,
  from: number,
  line: string,
  sure: boolean,
  name: SecretName,
): boolean {
  const isCodes = name.kind === 'code' && /codes\b/i.test(line)
  const isSure = sure || isCodes || prompt.test(line)
  // Below the name of a file, the second line is the password of the first.
  const held: SecretName = isSure && name.kind === 'auth' ? { ...name, kind: 'password' } : name
  let others = isSure ? 0 : 1
  let found = false
  let at = from + (sure ? matchLength(blockOfYaml, scan.text, from) : 0)
  if (/^\r?\n/.test(scan.text.slice(at, at + 2))) at = scan.text.indexOf('\n', at) + 1
  for (let count = 0; count < maxLines; count++) {
    onlyValue.lastIndex = at
    const [whole, value] = onlyValue.exec(scan.text) ?? []
    if (whole === undefined || value === undefined) return found
    const start = at + whole.lastIndexOf(value)
    const isOne = isSure ? isSecretValue(held, value, 'setting') : isMachineMade(value)
    if (isOne && (isCodes || isUnnamed(value, isSure))) {
      scan.report(start, start + value.length, name.type)
      found = true
    } else if (++others > 1) return found
    at = onlyValue.lastIndex + (scan.text[onlyValue.lastIndex] === '\\' ? 2 : 1)
  }
  return found
}
