/** The content of one line of JSON. `values` are in order; `rest` is the part that is not JSON. */
export interface ParsedLine {
  readonly values: readonly unknown[]
  readonly rest?: string
}

const maxDepth = 200
const jsonStart = /^[ \t\r\n]*(?:[{["\d-]|true|false|null)/

/** Parses a line that holds one JSON value, or several joined because a line end between them was lost. */
export function parseLine(text: string): ParsedLine {
  // Errors are slow, and most lines of a text that is not JSON can be refused without one.
  if (!jsonStart.test(text)) return { values: [], ...(text === '' ? {} : { rest: text }) }
  const whole = parse(text)
  if (whole !== undefined) return { values: [whole.value] }
  const values: unknown[] = []
  let start = 0
  while (start < text.length) {
    const end = endOfValue(text, start)
    const piece = end === -1 ? undefined : parse(text.slice(start, end))
    if (piece === undefined) return { values, rest: text.slice(start) }
    values.push(piece.value)
    start = end
  }
  return { values }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The end of the object or list that begins at `start`, or -1. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let index = start; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (inString) {
      if (char === 0x5c) index++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b || char === 0x5b) depth++
    else if (char === 0x7d || char === 0x5d) {
      depth--
      if (depth === 0) return index + 1
      if (depth < 0) return -1
    } else if (depth === 0 && char > 0x20) return -1
  }
  return -1
}

/** Whether a value is nested deeper than 200 levels; `text` is what it was parsed from, and saves most of the work. */
export function isTooDeep(value: unknown, text: string): boolean {
  if (!mayBeDeep(text)) return false
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
  return false
}

function mayBeDeep(text: string): boolean {
  if (text.length <= 2 * maxDepth) return false
  return closers(text, '}') + closers(text, ']') > maxDepth
}

function closers(text: string, bracket: string): number {
  let count = 0
  for (let at = text.indexOf(bracket); at !== -1 && count <= maxDepth; at = text.indexOf(bracket, at + 1))
    count++
  return count
}
