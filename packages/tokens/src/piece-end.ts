/** Characters that only the pattern can classify. Zero, because it is the table's initial value. */
const foreign = 0
const upper = 1
const lower = 2
/** Letters without case, which end a run of upper-case letters as lower-case ones do. */
const caseless = 3
const digit = 4
const space = 5
const tab = 6
const lineEnd = 7
const mark = 8
const apostrophe = 9
/** Rare white space. */
const hard = 10
const end = 11

/** Character classes by UTF-16 unit. Covers all units, because reading past the end of a typed array is slow. */
const classes = new Uint8Array(65_536)
for (let code = 0; code < 128; code++) classes[code] = asciiClass(String.fromCharCode(code))

/** Ranges beyond ASCII, by first and last character, for the most common scripts and signs. */
export const ranges = {
  upper: ['À-Ö', 'Ø-Þ', 'Ѐ-Я'],
  lower: ['ß-ö', 'ø-ÿ', 'а-џ'],
  caseless: ['ぁ-ゖ', 'ァ-ヺ', 'ー-ー', '一-鿼', '가-힣'],
  mark: [
    ...['\u00a1-\u00a9', '\u00ab-\u00b1', '\u00b6-\u00b8', '\u2010-\u2027', '\u2030-\u205e', '\u2190-\u21ff'],
    ...['\u2500-\u2767', '\u2794-\u27bf', '\u3001-\u3003', '\u3008-\u3011', '\uff01-\uff0f'],
  ],
}
const fill = (kind: number, of: readonly string[]): void => {
  for (const range of of) classes.fill(kind, range.charCodeAt(0), range.charCodeAt(2) + 1)
}
fill(upper, ranges.upper)
fill(lower, ranges.lower)
fill(caseless, ranges.caseless)
fill(mark, ranges.mark)

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

const isLetter = (kind: number): boolean => kind === upper || kind === lower || kind === caseless

/**
 * End of the piece that starts at `start`, or -1 if only the pattern can decide. Handles the words, numbers,
 * punctuation and white space of ASCII and {@link ranges}. o200k_base (`splitsCase`) ends a word before an upper-case
 * letter that follows a lower-case one, and keeps a contraction with its word; in cl100k_base, a contraction is a
 * separate piece. `codes` are the character codes of a text of `length` units.
 */
export function pieceEnd(codes: Uint16Array, length: number, start: number, splitsCase: boolean): number {
  const first = classAt(codes, start, length)
  if (first === foreign || first === hard) return -1
  if (first === digit) return numberEnd(codes, start, length)
  if (first === lineEnd) return blankEnd(codes, start, length)
  if (first === apostrophe && !splitsCase) {
    const contracted = contractionEnd(codes, start, length)
    if (contracted !== start) return contracted
  }

  // A word may be preceded by one character that is not a letter.
  let at = isLetter(first) ? start : start + 1
  let kind = classAt(codes, at, length)
  if (isLetter(kind)) {
    at = splitsCase ? cappedEnd(codes, at, length) : lettersEnd(codes, at, length)
    if (at === -1) return -1
    kind = classAt(codes, at, length)
    return kind === apostrophe && splitsCase ? contractionEnd(codes, at, length) : at
  }

  if (first === space || first === tab) {
    if (kind === space || kind === tab || kind === lineEnd) return blankEnd(codes, start, length)
    if (kind === hard) return -1
    if (first === tab ? kind !== foreign : kind === digit || kind === end) return at
  }
  while (kind === mark || kind === apostrophe) kind = classAt(codes, ++at, length)
  if (kind === foreign) return -1
  // In o200k_base, slashes may follow too.
  const isLast = (): boolean => kind === lineEnd || (splitsCase && kind === mark && codes[at] === 0x2f)
  while (isLast()) kind = classAt(codes, ++at, length)
  return at
}

/** End of a run of letters, or -1 if it may continue. */
function lettersEnd(codes: Uint16Array, start: number, length: number): number {
  let at = start
  let kind = classAt(codes, at, length)
  while (isLetter(kind)) kind = classAt(codes, ++at, length)
  return kind === foreign ? -1 : at
}

/** End of upper-case letters and the lower-case ones after them, or -1 if they may continue. Caseless ones are both. */
function cappedEnd(codes: Uint16Array, start: number, length: number): number {
  let at = start
  let kind = classAt(codes, at, length)
  let lastCaseless = -1
  for (; kind === upper || kind === caseless; kind = classAt(codes, ++at, length))
    if (kind === caseless) lastCaseless = at
  if (kind === foreign) return -1
  // If possible, at least one letter follows the upper-case ones.
  if (kind !== lower && lastCaseless !== -1) return lastCaseless + 1
  while (kind === lower || kind === caseless) kind = classAt(codes, ++at, length)
  return kind === foreign ? -1 : at
}

/** End of a number of up to three digits. */
function numberEnd(codes: Uint16Array, start: number, length: number): number {
  let at = start + 1
  while (at < start + 3 && classAt(codes, at, length) === digit) at++
  return at === start + 3 || classAt(codes, at, length) !== foreign ? at : -1
}

/** End of white space: after its last line end, or, without one, before its last character, which begins a piece. */
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

/** End of a contraction such as `'s` or `'ll`. Returns `at` if there is none, -1 if only the pattern can decide. */
function contractionEnd(codes: Uint16Array, at: number, length: number): number {
  // A non-ASCII letter may fold to s.
  if (classAt(codes, at + 1, length) === foreign) return -1
  const next = String.fromCharCode(codes[at + 1]!, codes[at + 2]!).toLowerCase()
  if (at + 1 < length && 'stmd'.includes(next.charAt(0))) return at + 2
  return at + 2 < length && (next === 'll' || next === 've' || next === 're') ? at + 3 : at
}
