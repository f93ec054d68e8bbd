import { stripVTControlCharacters } from 'node:util'

/** Puts a text on one line: runs of white space, and backslashes that continue a line, become one space. */
export function squeeze(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/(?:\\\n|\s)+/g, ' ')
    .trim()
}

/** A gap in a bundle's quote: an elision, or a mark in place of a secret. */
const gap = /\[…[^\]\n]{0,40}\]|…|\[redacted[^\]\n]{0,60}\]/gi

/** The words of a text, without marks of comments and lists or line numbers that tools print. */
export function wordsOf(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/^ {0,8}\d{1,6}[→\t|:]/gm, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Whether the words of a text contain those of all parts of a quote, in order. */
export function hasWords(words: string, quote: string): boolean {
  return hasParts(
    ` ${words} `,
    quote.split(gap).flatMap((part) => wordsOf(part) || []),
  )
}

/** Whether a squeezed text contains all parts of a quote in order. The quote may have gaps. */
export function hasQuote(squeezed: string, quote: string): boolean {
  return hasParts(squeezed, quote.split(gap).map(squeeze).filter(Boolean))
}

function hasParts(text: string, parts: readonly string[]): boolean {
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return parts.length > 0
}
