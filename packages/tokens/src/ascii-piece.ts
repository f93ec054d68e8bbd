/** Outside ASCII and `marks`. Zero, so that the table need not be filled with it. */
const foreign = 0
const upper = 1
const lower = 2
const digit = 3
const space = 4
const tab = 5
const lineEnd = 6
const mark = 7
const apostrophe = 8
/** White space that is rare. */
const hard = 9
const end = 10

/** By UTF-16 unit. This large because reading past the end of a typed array is slow. */
const classes = new Uint8Array(65_536)
for (let code = 0; code < 128; code++) classes[code] = asciiClass(String.fromCharCode(code))

/** Quotes, dashes, dots, arrows, boxes and other signs, which make pieces as the marks of ASCII do: first and last. */
export const marks = ['\u00a1-\u00a9', '\u2010-\u2027', '\u2030-\u205e', '\u2190-\u21ff', '\u2500-\u26ff']
for (const range of marks) classes.fill(mark, range.charCodeAt(0), range.charCodeAt(2) + 1)

function asciiClass(char: string): number {
  if (/[A-Z]/.test(char)) return upper
  if (/[a-z]/.test(char)) return lower
  if (/[0-9]/.test(char)) return digit
  if (char === ' ') return space
  if (char === '\t') return tab
  if (char === '\n' || char === '\r') return lineEnd
  if (char === "'") return apostrophe
  return /\s/.test(char) ? hard : mark
}

function classAt(codes: Uint16Array, index: number, length: number): number {
  return index < length ? classes[codes[index]!]! : end
}

/**
 * End of the piece that starts at `start`, or -1 if only the pattern can decide. Knows the words, numbers, punctuation
 * and white space of plain ASCII, and {@link marks}, on which o200k_base and cl100k_base agree, except that
 * `splitsCase`, for o200k_base, ends a word before an upper case letter that follows a lower case one. `codes` are the
 * character codes of a text of `length` units.
 */
export function asciiPieceEnd(
  codes: Uint16Array,
  length: number,
  start: number,
  splitsCase: boolean,
): number {
  const first = classAt(codes, start, length)
  if (first === foreign || first === hard) return -1
  if (first === digit) return numberEnd(codes, start, length)
  if (first === lineEnd) return blankEnd(codes, start, length)

  // A word may be preceded by one character that is not a letter.
  const wordStart = first === upper || first === lower ? start : start + 1
  let at = wordStart
  let kind = classAt(codes, at, length)
  while (kind === upper) kind = classAt(codes, ++at, length)
  while (kind === lower) kind = classAt(codes, ++at, length)
  if (at > wordStart) {
    if (kind === foreign || (kind === upper && !splitsCase)) return -1
    if (kind === apostrophe && mayContract(codes, at + 1, length)) return -1
    return first === apostrophe && mayContract(codes, wordStart, length) ? -1 : at
  }

  if (first === space || first === tab) {
    if (kind === space || kind === tab || kind === lineEnd) return blankEnd(codes, start, length)
    if (kind === hard) return -1
    if (first === tab ? kind !== foreign : kind === digit || kind === end) return wordStart
  }
  while (kind === mark || kind === apostrophe) kind = classAt(codes, ++at, length)
  if (kind === foreign) return -1
  while (kind === lineEnd) kind = classAt(codes, ++at, length)
  const isSlash = kind === mark && codes[at] === 0x2f
  return isSlash ? -1 : at
}

/** Up to three digits. */
function numberEnd(codes: Uint16Array, start: number, length: number): number {
  let at = start + 1
  while (at < start + 3 && classAt(codes, at, length) === digit) at++
  return at === start + 3 || classAt(codes, at, length) !== foreign ? at : -1
}

/** White space up to its last line end; without one, its last character goes to the word or mark that follows. */
function blankEnd(codes: Uint16Array, start: number, length: number): number {
  let at = start
  let afterLines = start
  let kind = classAt(codes, at, length)
  for (; kind === space || kind === tab || kind === lineEnd; kind = classAt(codes, ++at, length))
    if (kind === lineEnd) afterLines = at + 1
  if (kind === foreign || kind === hard) return -1
  if (afterLines > start) return afterLines
  return kind === end ? at : at - 1
}

/** Whether a contraction such as `'s` or `'ll` may follow the apostrophe before `index`. */
function mayContract(codes: Uint16Array, index: number, length: number): boolean {
  const kind = classAt(codes, index, length)
  return (
    kind === foreign ||
    ((kind === lower || kind === upper) && 'stmdrvlSTMDRVL'.includes(String.fromCharCode(codes[index]!)))
  )
}
