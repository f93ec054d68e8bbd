import type { Span } from '../spans.ts'
import { readingOf } from './joined-reading.ts'
import type { Reading } from './reading.ts'

/** Line numbers of readers, `cat -n`, `grep -n` and `bat`; signs of diffs, quotes, comments and boxes. */
const unit =
  /[ \t]{0,8}(?:\d{1,7}(?:→|\t|:|-|[ \t]{0,2}[│┃║|][ ]?)|>{1,3}[ ]?|[+#*;│┃║|][ ]?|\[[\w/.-]{1,60}\][ ]|(\^?[0-9a-f]{7,40}[ ]\([^()\n]{10,80}\)[ ]?)|[A-Z][a-z]{2}[ ][ \d]\d[ ]\d\d:\d\d:\d\d[ ]\S{1,40}[ ]\S{1,40}:[ ]|\/\/[ ]?|-(?!-{4})|-(?=-{5}[BE]))/y
/** A line within a line, such as a diff that a reader numbered. */
const maxUnits = 3
const frame = /[│┃║|]$/
/** Maximum distance of a name that says secret from the end of its line. */
const reach = 80

/** A line that continues on the next one: a long word, or a name that says secret without its value. */
const nameOnly =
  /(?:pass|pwd|secret|token|key|auth|cred)[\w.-]*["'>]{0,2}[ \t]{0,4}[:=|>,-]{0,3}[ \t]{0,4}\\?$/i
const firstWord = /^[ \t]*\S+/
const machineMade = /\d|[a-z][A-Z]|[A-Z]{3}|\S{24}/
const keyBegins = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-/
const keyEnds = /-----END |Private-MAC:/

interface Line {
  readonly start: number
  readonly end: number
  /** Where each sign before the content ends, and what it is without digits and blanks. */
  readonly units: readonly { readonly end: number; readonly kind: string }[]
}

/** Texts behind line numbers, diff signs and the like, as far as a value may go over several lines. */
export function prefixedReadings(text: string): Reading[] {
  if (!text.includes('\n')) return []
  const readings: Reading[] = []
  let block: Line[] = []
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const units = unitsOf(text, start)
    const kind = units[0]?.kind
    if (kind === undefined || kind !== block[0]?.units[0]?.kind) {
      readings.push(...readBlock(text, block))
      block = []
    }
    if (kind !== undefined) block.push({ start, end: text[end - 1] === '\r' ? end - 1 : end, units })
    start = end + 1
  }
  return [...readings, ...readBlock(text, block)]
}

function unitsOf(text: string, start: number): Line['units'] {
  const units: { end: number; kind: string }[] = []
  for (let at = start; units.length < maxUnits; at = unit.lastIndex) {
    unit.lastIndex = at
    const match = unit.exec(text)
    if (match === null) break
    units.push({ end: unit.lastIndex, kind: match[1] === undefined ? signOf(match[0]) : 'blame' })
  }
  return units
}

/** A sign without digits and blanks. */
function signOf(text: string): string {
  let sign = ''
  for (const one of text) if (one !== ' ' && (one < '0' || one > '9')) sign += one
  return sign
}

/** The signs that all lines have in common are left out; a sign that only some lines have is content. */
function readBlock(text: string, block: readonly Line[]): Reading[] {
  const [head] = block
  if (head === undefined || block.length < 2) return []
  let depth = head.units.length
  for (const { units } of block)
    while (units.length < depth || units[depth - 1]?.kind !== head.units[depth - 1]?.kind) depth--
  const framed = frame.test(head.units[0]!.kind)
  const contents = block.map(({ units, end }) => {
    const start = units[depth - 1]!.end
    if (!framed) return { start, end }
    const said = text.slice(start, end).trimEnd()
    return { start, end: frame.test(said) ? start + said.slice(0, -1).trimEnd().length : end }
  })
  const readings: Reading[] = []
  let first = 0
  let inKey = false
  for (const [index, content] of contents.entries()) {
    const said = text.slice(content.start, content.end)
    inKey = (inKey && !keyEnds.test(said)) || keyBegins.test(said)
    const next = contents[index + 1]
    if (next !== undefined && (inKey || continues(said, text.slice(next.start, next.end)))) continue
    if (index > first) readings.push(readingOfLines(text, contents.slice(first, index + 1), block[first]!))
    first = index + 1
  }
  return readings
}

function continues(line: string, next: string): boolean {
  // Most lines of code end so, and nothing continues them.
  if (/[;{}()\]]/.test(line.at(-1) ?? ';')) return false
  const word = firstWord.exec(next)?.[0]
  if (word === undefined) return false
  const end = line.slice(-8)
  if (end.length === 8 && !/\s/.test(end) && machineMade.test(end + word.trimStart())) return true
  return nameOnly.test(line.slice(-reach))
}

function readingOfLines(text: string, contents: readonly Span[], { start }: Span): Reading {
  const joints = contents.flatMap((content, index) => {
    const before = contents[index - 1]
    if (before === undefined) return [{ start, end: content.start }]
    const newline = text.indexOf('\n', before.end)
    return [
      { start: before.end, end: newline },
      { start: newline + 1, end: content.start },
    ]
  })
  // A name on one line makes a secret of a value on the next, which by itself crosses nothing.
  return readingOf(text, { start, end: contents.at(-1)!.end, joints }, { crossingOnly: false })
}
