import type { Scan } from './scan.ts'
import { classifyName, classifySpacedName, type SecretName } from './secret-names.ts'
import { isCode, isPromise, isSecretValue } from './secret-value.ts'
import { matchLength } from './value-reader.ts'

/** A key as a list of its bytes. */
const byteList =
  /^(?:\[\w*\])?\s{0,3}[:=]\s{0,3}(?:(?:bytes|bytearray|new\s\w+\[\]|\[\]byte|Buffer\.from)?\(?[[{]\s{0,4})((?:(?:0x[0-9a-f]{1,2}|\d{1,3})(?:,\s{0,4}|(?=\s{0,4}[\]}]))){12,128})/i

export function matchBytes({ text, report }: Scan, at: number, name: SecretName): boolean {
  const bytes = isPromise(name.kind) ? byteList.exec(text.slice(at, at + 700)) : null
  if (bytes === null) return false
  report(at + bytes[0].length - bytes[1]!.length, at + bytes[0].length, name.type)
  return true
}

/** A value before its name: `{"value": "…", "name": "API_TOKEN"}`, `SET value = '…' WHERE name = 'api_token'`. */
const valueFirst =
  /(?:value|val|content)\\{0,4}["']?\s{0,3}[:=]\s{0,3}\\{0,4}["']([^"'\n\\]{5,300})\\{0,4}["'](?:[\s,]{0,20}\\{0,4}["']?|\s{1,3}where\s{1,3}[`"]?)(?:name|key|id|option_name)\\{0,4}[`"']?\s{0,3}[:=]\s{0,3}\\{0,4}["']?$/i

export function matchBefore(
  { text, report }: Scan,
  start: number,
  closed: number,
  name: SecretName,
): boolean {
  if (!/["']/.test(text[closed - 1]!) && text[start - 1] !== ' ') return false
  const found = valueFirst.exec(text.slice(Math.max(0, start - 400), start))
  if (found === null || !isSecretValue(name, found[1]!, 'quoted')) return false
  const at = start - found[0].length + found[0].indexOf(found[1]!)
  report(at, at + found[1]!.length, name.type)
  return true
}

/** The start of a list: `: [`, `= (`, a line break before `- `, and a heading before lines of codes. */
const listStart =
  /\\{0,8}["']?(?:\s(?:are|is))?[ \t]{0,3}[:=]?(?:[ \t]{0,3}[[({]\s{0,40}|[ \t]{0,3}(?:\\n|\r?\n)(?:[ \t]*\r?\n)?)/y
const listItem =
  /\s{0,40}(?:(?:[-*•]|\d{1,2}[.):])[ \t]{1,4})?(\\{0,8}["'`])?((?:(?!\\)[^\s"'`,\]]){2,200}(?:[ ][A-Z0-9]{4,6}){0,7})\1?[ \t]{0,8}(?:,|\\n|\r?\n|(?=[ \t]{2})|$|(?=[\])}]))/y
const maxItems = 50

/** `api_keys: [ …, … ]`, and recovery codes below the words that say so. */
export function matchList(scan: Scan, start: number, end: number): void {
  const { text } = scan
  const length = matchLength(listStart, text, end)
  if (length === 0) return
  const name =
    classifyName(text.slice(start, end)) ??
    classifySpacedName(text, start, end) ??
    classifyName(text.slice(start, end - 1)) ??
    classifySpacedName(text, start, end - 1)
  if (name === undefined || name.kind === 'key' || name.kind === 'vendor') return
  let at = end + length
  for (let item = 0; item < maxItems; item++) {
    listItem.lastIndex = at
    const [whole, quote, value] = listItem.exec(text) ?? []
    if (whole === undefined || value === undefined) return
    const from = at + whole.indexOf(value)
    const setting = quote === undefined ? 'colon' : 'quoted'
    if (name.kind === 'code' ? isCode(value) : isSecretValue(name, value, setting))
      scan.report(from, from + value.length, name.type)
    // Elements may be of several kinds; without quotes, the list ends here.
    else if (quote === undefined) return
    at = listItem.lastIndex
  }
}
