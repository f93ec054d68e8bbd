import type { Span } from '../spans.ts'

/** Where the string literals of a JSON text stand, quotes not included; `undefined` where a quote is left open. */
export function jsonStrings(text: string): Span[] | undefined {
  const strings: Span[] = []
  for (let quote = text.indexOf('"'); quote !== -1; ) {
    const end = endOfString(text, quote + 1)
    if (end === -1) return undefined
    strings.push({ start: quote + 1, end })
    quote = text.indexOf('"', end + 1)
  }
  return strings
}

/** Where string literals with an escape stand in any text, each within one line: JSON or code inside of words. */
export function escapedStrings(text: string): Span[] {
  const strings: Span[] = []
  let slash = text.indexOf('\\')
  if (slash === -1) return strings
  for (let quote = text.indexOf('"'); quote !== -1; ) {
    if (slash < quote) slash = text.indexOf('\\', quote)
    if (slash === -1) break
    const end = endOfLineString(text, quote + 1)
    if (end.closed && slash < end.at) strings.push({ start: quote + 1, end: end.at })
    quote = text.indexOf('"', end.at + 1)
  }
  return strings
}

/** The value of what stands between the quotes of a JSON string, or `undefined` where it is none. */
export function readJsonString(text: string): string | undefined {
  if (!text.includes('\\')) return text.includes('\n') ? undefined : text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What stands between the quotes of a JSON string. */
export function writeJsonString(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (end - slashes > start && text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++
    if (slashes % 2 === 0) return end
  }
  return -1
}

/** Goes on from where a string breaks off, never back: a line of escaped quotes costs one pass. */
function endOfLineString(text: string, start: number): { readonly at: number; readonly closed: boolean } {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return { at, closed: true }
    else if (code === 0x0a) return { at, closed: false }
  }
  return { at: text.length, closed: false }
}
