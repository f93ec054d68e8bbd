// C0 except tab and newline, DEL, C1.
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
// Bidirectional overrides and isolates, invisible tag characters, line and paragraph separators, BOM: characters that
// can make a text look different from its content (https://trojansource.codes).
const invisible = /[\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu

/** Everything that {@link cleanText} may change, and characters beyond U+FFFF. Most texts contain none of these. */
const unclean =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/

/**
 * Makes text safe to print and to store as UTF-8: removes terminal escapes and control characters except tab and
 * newline, and shows invisible characters as `\u{…}`.
 */
export function cleanText(text: string): string {
  if (!unclean.test(text)) return text
  const wellFormed = text.toWellFormed().replaceAll('\r\n', '\n')
  const plain = /[\u001b\u009b]/.test(wellFormed) ? stripEscapes(wellFormed) : wellFormed
  const printable = plain.replace(control, '')
  return printable.replace(invisible, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

const moreThanSpace = /[^\S ]\s*| \s+/g
/** What most texts have none of: they are words in ASCII with a space between two. */
const notPlain = /[^ -~]| {2}|^ | $/

/** {@link cleanText} on one line: runs of white space become one space, and the ends are trimmed. */
export function cleanLine(text: string): string {
  return notPlain.test(text) ? singleSpaced(cleanText(text.replaceAll('\r', ' '))) : text
}

export function singleSpaced(text: string): string {
  return text.replace(moreThanSpace, ' ').trim()
}

export function isCleanLine(text: string): boolean {
  return !/[^\S ]| {2}|^ | $/.test(text) && isCleanText(text)
}

export function isCleanText(text: string): boolean {
  return cleanText(text) === text
}

// A terminal escape sequence as in Node's `stripVTControlCharacters`, which browsers lack: a title or link up to its
// end, or a colour, movement or mode. https://github.com/chalk/ansi-regex
const sequence =
  /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~]))/g

export function stripEscapes(text: string): string {
  return text.replace(sequence, '')
}
