import { isAlphanumeric } from './char-code.ts'
import { type Edit, edited } from './edited.ts'
import type { Span } from './spans.ts'

/** A text without characters that may be inside a value without being part of it, with a mapping back to the text. */
export interface Squeezed {
  readonly text: string
  /** The part of the original text that a part of the squeezed one came from. */
  original(span: Span): Span
}

// CSI, OSC (ended by BEL or ST) and two-character escapes of ECMA-48, other control characters, and zero-width
// characters.
const escapes =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|\u001b[ -/]{0,3}[0-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200d\u2060\u2066-\u2069\u202a-\u202e\ufeff]/g

/** Removes terminal escapes and control characters. */
export function squeeze(text: string): Squeezed {
  return without(text, escapes)
}

/** The text without what a global pattern matches. */
export function without(text: string, pattern: RegExp): Squeezed {
  if (text.search(pattern) === -1) return { text, original: (span) => span }
  const edit = ({ 0: cut, index }: RegExpExecArray): Edit => ({ start: index, end: index + cut.length })
  return edited(text, Array.from(text.matchAll(pattern), edit))
}

/** The text of {@link squeeze} without line breaks and the indentation after them. */
export function squeezed(text: string): string {
  return text.replace(escapes, '').replace(/\\?\r?\n[ \t]*/g, '')
}

/** The letters and digits of a text, in lower case. */
export function lettersOf(text: string): string {
  // In a loop, since a pattern takes ten times as long for a list of numbers.
  const letters = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isAlphanumeric(code)) letters[length++] = code > 64 && code < 91 ? code + 32 : code
  }
  return letters.toString('latin1', 0, length)
}
