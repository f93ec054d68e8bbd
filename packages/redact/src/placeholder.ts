import type { Span } from './spans.ts'

/**
 * The mark that replaces the `number`th value of a type: `[redacted:github-token]`, then `[redacted:github-token:2]`.
 */
export function markOf(type: string, number: number): string {
  return number === 1 ? `[redacted:${type}]` : `[redacted:${type}:${number}]`
}

/** A type in the form that a mark may hold: lower case words joined by `-`. */
export function markType(type: string): string {
  const words = type
    .slice(0, 60)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  return words.join('-').slice(0, 40).replace(/-$/, '') || 'secret'
}

const mark = /\[redacted:[a-z0-9][a-z0-9-]{0,39}(?::\d{1,9})?\]/g

/** The positions of marks in a text. */
export function marksIn(text: string): Span[] {
  if (!text.includes('[redacted:')) return []
  return [...text.matchAll(mark)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
}
