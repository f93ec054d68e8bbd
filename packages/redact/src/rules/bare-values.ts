import { isCodeShape } from './code-shape.ts'
import type { Scan } from './scan.ts'
import type { SecretName } from './secret-names.ts'
import { isPromise, type ValueSetting } from './secret-value.ts'
import { lineStart, matchLength } from './value-reader.ts'
import { looksDrawn } from './value-shape.ts'

/** A value without quotes may hold signs that end values elsewhere, if it looks purely random. */
const drawnRun = /(?:[^\s"'`<>\\&;,]|[&;,](?!\w{1,40}[=:])){12,200}/y

export function reportDrawn(
  scan: Scan,
  name: SecretName,
  start: number,
  end: number,
  setting: ValueSetting,
): boolean {
  if (setting === 'code' || setting === 'prose' || !/[,;&|(){}[\]]/.test(scan.text[end] ?? '')) return false
  if (!isPromise(name.kind)) return false
  const run = scan.text.slice(start, start + matchLength(drawnRun, scan.text, start))
  if (!looksDrawn(run) || (setting === 'colon' && isCodeShape(run, 'bare'))) return false
  scan.report(start, start + withoutClosers(run).length, name.type)
  return true
}

/** A value without the comma that separates it from the next one, and the brackets that were opened before it. */
function withoutClosers(run: string): string {
  let end = run.length
  for (; end > 0; end--) {
    const opener = openers[run[end - 1] as string]
    if (opener === undefined || (opener !== '' && run.lastIndexOf(opener, end) >= 0)) break
  }
  return run.slice(0, end)
}

const openers: Readonly<Record<string, string>> = { ',': '', ';': '', '&': '', ')': '(', ']': '[', '}': '{' }

/** Whether only closing signs follow on the line: a bare value on a line of its own is all that the line holds. */
export function endsLine(text: string, at: number): boolean {
  return (
    matchLength(/(?:["'`,;)}\]]|<\/\w|\*\*|\\[nr])|[ \t]{0,40}(?:\r?\n|#|\/\/|$)/y, text, at) > 0 ||
    at === text.length
  )
}

const setting = /^[ \t]*(?:-[ \t]+|export[ \t]+)?["']?[\w.-]+["']?(?:[ \t]?[:=][ \t]+|=)$/

/** Words without quotes that are all that a line of settings says after its name; their length. */
export function wordsOfLine(text: string, at: number): number {
  const from = lineStart(text, at, 100)
  if (from === undefined || !setting.test(text.slice(from, at))) return 0
  return matchLength(/[a-z]{3,12}(?:[ ][a-z]{3,12}){1,23}(?=[ \t]*(?:\r?\n|$))/y, text, at)
}
