/** Outside ASCII. Zero, so that the table need not be filled with it. */
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

function classAt(text: string, index: number): number {
  return index < text.length ? classes[text.charCodeAt(index)]! : end
}

/**
 * End of the piece that starts at `start`, or -1 if only the pattern can decide. Knows the words, numbers, punctuation
 * and white space of plain ASCII, on which o200k_base and cl100k_base agree, except that `splitsCase`, for o200k_base,
 * ends a word before an upper case letter that follows a lower case one.
 */
export function asciiPieceEnd(text: string, start: number, splitsCase: boolean): number {
  const first = classAt(text, start)
  if (first === foreign || first === hard) return -1
  if (first === digit) return numberEnd(text, start)
  if (first === lineEnd) return blankEnd(text, start)

  // A word may be preceded by one character that is not a letter.
  const wordStart = first === upper || first === lower ? start : start + 1
  let at = wordStart
  let kind = classAt(text, at)
  while (kind === upper) kind = classAt(text, ++at)
  while (kind === lower) kind = classAt(text, ++at)
  if (at > wordStart) {
    if (kind === foreign || (kind === upper && !splitsCase)) return -1
    if (kind === apostrophe && mayContract(text, at + 1)) return -1
    return first === apostrophe && mayContract(text, wordStart) ? -1 : at
  }

  if (first === space || first === tab) {
    if (kind === space || kind === tab || kind === lineEnd) return blankEnd(text, start)
    if (kind === hard) return -1
    if (first === tab ? kind !== foreign : kind === digit || kind === end) return wordStart
  }
  while (kind === mark || kind === apostrophe) kind = classAt(text, ++at)
  if (kind === foreign) return -1
  while (kind === lineEnd) kind = classAt(text, ++at)
  const isSlash = kind === mark && text.charCodeAt(at) === 0x2f
  return isSlash ? -1 : at
}

/** Up to three digits. */
function numberEnd(text: string, start: number): number {
  let at = start + 1
  while (at < start + 3 && classAt(text, at) === digit) at++
  return at === start + 3 || classAt(text, at) !== foreign ? at : -1
}

/** White space up to its last line end; without one, its last character goes to the word or mark that follows. */
function blankEnd(text: string, start: number): number {
  let at = start
  let afterLines = start
  let kind = classAt(text, at)
  for (; kind === space || kind === tab || kind === lineEnd; kind = classAt(text, ++at))
    if (kind === lineEnd) afterLines = at + 1
  if (kind === foreign || kind === hard) return -1
  if (afterLines > start) return afterLines
  return kind === end ? at : at - 1
}

/** Whether a contraction such as `'s` or `'ll` may follow the apostrophe before `index`. */
function mayContract(text: string, index: number): boolean {
  const kind = classAt(text, index)
  return kind === foreign || ((kind === lower || kind === upper) && 'stmdrvlSTMDRVL'.includes(text[index]!))
}
