import { type Edit, edited } from './edited.ts'
import type { Span } from './spans.ts'

/** A text without characters that may be inside a value without being part of it, with a mapping back to the text. */
export interface Squeezed {
  readonly text: string
  /** The part of the original text that a part of the squeezed one came from. */
  original(span: Span): Span
  /** Whether a line break was removed inside a part of the squeezed text. */
  wraps(span: Span): boolean
}

// CSI, OSC (ended by BEL or ST) and two-character escapes of ECMA-48, other control characters, and zero-width
// characters.
const escapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|\u001b[ -/]{0,3}[0-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200d\u2060\u2066-\u2069\u202a-\u202e\ufeff]/
// A line break, the backslash of a shell or the sign of quoted-printable before it, and the indentation of the next
// line; a blank that nobody sees is no end of a word.
const breaks = /[\\=]?\r?\n[ \t]*|\u00a0/
const escapesOnly = new RegExp(escapes, 'g')
const escapesAndBreaks = new RegExp(`${breaks.source}|${escapes.source}`, 'g')

/** Removes terminal escapes and control characters; with `breaks` also line breaks and the indentation after them. */
export function squeeze(text: string, options: { readonly breaks: boolean }): Squeezed {
  return without(text, options.breaks ? escapesAndBreaks : escapesOnly)
}

/** The text without what a global pattern matches. */
export function without(text: string, pattern: RegExp): Squeezed {
  const cuts: Edit[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    cuts.push({ start: match.index, end: match.index + match[0].length })
  if (cuts.length === 0) return { text, original: (span) => span, wraps: () => false }
  const { inside, ...plain } = edited(text, cuts)
  return {
    ...plain,
    wraps: (span) =>
      cuts.slice(...inside(span)).some(({ start, end }) => text.slice(start, end).includes('\n')),
  }
}

/** {@link squeeze} if only the text is needed. */
export function squeezed(text: string): string {
  return text.replace(escapesAndBreaks, '')
}
