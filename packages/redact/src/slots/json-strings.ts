import { parseJson } from '../parse-json.ts'
import type { Span } from '../spans.ts'

/**
 * Start and end of each string literal of a JSON text in turn, quotes not included; `undefined` if a quote is left
 * open.
 */
export function jsonStrings(text: string): number[] | undefined {
  const strings: number[] = []
  for (let quote = text.indexOf('"'); quote !== -1; ) {
    const end = endOfString(text, quote + 1)
    if (end === -1) return undefined
    strings.push(quote + 1, end)
    quote = text.indexOf('"', end + 1)
  }
  return strings
}

/** Positions of string literals with an escape in any text, each within one line: JSON or code in prose. */
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

/** The value of the text between the quotes of a JSON string, or `undefined` if it is invalid. */
export function readJsonString(text: string): string | undefined {
  if (!text.includes('\\')) return text.includes('\n') ? undefined : text
  return parseJson(`"${text}"`) as string | undefined
}

/** Encodes a value as the text between the quotes of a JSON string. */
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

/** Continues where a string breaks off, never earlier: a line of escaped quotes costs one pass. */
function endOfLineString(text: string, start: number): { readonly at: number; readonly closed: boolean } {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return { at, closed: true }
    else if (code === 0x0a) return { at, closed: false }
  }
  return { at: text.length, closed: false }
}
