import * as json from '../../session/json.ts'

/** `rest` is text that is not JSON. Values nested deeper than 200 levels are left out and set `tooDeep`. */
export type ParsedLine = Readonly<{ values: readonly unknown[]; rest?: string; tooDeep?: true }>

const maxDepth = 200
const jsonStart = /^[ \t\r\n]*(?:[{["\d-]|true|false|null)/

/** Parses a line with one JSON value, or several that were joined because a line end was lost. */
export function parseLine(text: string): ParsedLine {
  // Errors are slow, and most lines that are not JSON can be refused without one.
  if (!jsonStart.test(text)) return { values: [], ...(text === '' ? {} : { rest: text }) }
  const isLong = text.length > longLine
  if (isLong && opensTooDeep(text)) return { values: [], tooDeep: true }
  const whole = mayBeWhole(text) ? json.parse(text) : undefined
  if (whole !== undefined && !isLong && opensTooDeep(text)) return { values: [], tooDeep: true }
  if (whole !== undefined) return { values: [whole] }
  const values: unknown[] = []
  let deep: Pick<ParsedLine, 'tooDeep'> = {}
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = endOfValue(text, start)
    const piece = text.slice(start, end)
    const value = end === -1 ? undefined : json.parse(piece)
    if (value === undefined) return { values, rest: text.slice(start), ...deep }
    if (opensTooDeep(piece)) deep = { tooDeep: true }
    else values.push(value)
  }
  return { values, ...deep }
}

/** Returns the only value in a text; `undefined` if it is not one JSON value, or is nested deeper than 200 levels. */
export function parseShallow(text: string): unknown {
  const { values, rest, tooDeep } = parseLine(text)
  return rest === undefined && tooDeep === undefined && values.length === 1 ? values[0] : undefined
}

/** False for most lines of an indented document, `"key": "value",`, because each parse error takes microseconds. */
function mayBeWhole(text: string): boolean {
  const line = text.trim()
  return line[0] === '"' ? endOfString(line, 0) === line.length - 1 : !'{[,'.includes(line.slice(-1))
}

function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let index = start; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (char === 0x22) index = endOfString(text, index)
    else if (char === 0x7b || char === 0x5b) depth++
    else if (char === 0x7d || char === 0x5d) {
      depth--
      if (depth === 0) return index + 1
      if (depth < 0) return -1
    } else if (depth === 0 && char > 0x20) return -1
  }
  return -1
}

/** Minimum length of a line whose depth is checked before it is parsed: millions of nested lists take a gigabyte. */
const longLine = 100_000

function opensTooDeep(text: string): boolean {
  if (text.length <= 2 * maxDepth) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) at = endOfString(text, at)
    else if (char === 0x7d || char === 0x5d) depth--
    else if ((char === 0x7b || char === 0x5b) && ++depth > maxDepth) return true
  }
  return false
}

/** Returns the position of the quote that ends the string beginning at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++
    if (escapes % 2 === 0) return at
  }
  return text.length
}
