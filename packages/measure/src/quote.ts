import { stripVTControlCharacters } from 'node:util'

/** A text on one line: white space is one space, also after a backslash that continues a line. */
export function squeeze(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/(?:\\\n|\s)+/g, ' ')
    .trim()
}

/** Where a bundle leaves out a part of a text, or has a mark in place of a secret. */
const gap = /\[…[^\]\n]{0,40}\]|…|\[redacted[^\]\n]{0,60}\]/gi

/** Whether a text, squeezed, has all parts of a quote in their order; the quote may have gaps. */
export function hasQuote(squeezed: string, quote: string): boolean {
  const parts = quote.split(gap).map(squeeze).filter(Boolean)
  let from = 0
  for (const part of parts) {
    const at = squeezed.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return parts.length > 0
}
