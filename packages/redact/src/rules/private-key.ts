import type { Scan, Trigger } from './scan.ts'

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
/** Base64 lines, headers, comment and diff signs, escaped line breaks, quotes that join pieces. */
const bodyPattern =
  /(?:[A-Za-z0-9+/=]|\\{1,8}[nrt]|\\{1,8}u000[ad]|[\s,.:;"'`#*>|()\\_<]|-(?!-{3})){1,24000}/y
/** Code after a mere header in quotes has no such run. */
const keyLine = /[A-Za-z0-9+/=]{24}/
const endPattern = /-{0,10}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{0,5}/y
/** Private keys in PEM form, with or without their END line, over several lines or in one escaped string. */
export const privateKeyTriggers: readonly Trigger[] = [
  { literal: '-----BEGIN', exact: true, match: matchPem },
]

function matchPem(scan: Scan, at: number): void {
  const { text } = scan
  begin.lastIndex = at
  if (!begin.test(text)) return
  const bodyStart = begin.lastIndex
  bodyPattern.lastIndex = bodyStart
  if (!bodyPattern.test(text)) return
  let end = bodyPattern.lastIndex
  const body = text.slice(bodyStart, end)
  const solid = body.replace(/\\+[nrt]|[^A-Za-z0-9+/=]/g, '')
  if (solid.length < 24 || !/\d|[a-z][A-Z]/.test(solid) || !keyLine.test(body)) return
  endPattern.lastIndex = end
  if (endPattern.test(text)) end = endPattern.lastIndex
  else end = bodyStart + body.search(/[\s,.:;"'`#*>|()\\_<-]*$/)
  scan.report(at, Math.max(end, bodyStart), 'private-key')
}
