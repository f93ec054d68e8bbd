/** Outside ASCII. Zero, so that the table need not be filled with it. */
const foreign = 0
const upper = 1
const lower = 2
const digit = 3
const space = 4
const tab = 5
const mark = 6
/** Line ends, and the apostrophe with its contractions. */
const hard = 7
const end = 8

/** By UTF-16 unit. This large because reading past the end of a typed array is slow. */
const classes = new Uint8Array(65_536)
for (let code = 0; code < 128; code++) classes[code] = asciiClass(String.fromCharCode(code))

function asciiClass(char: string): number {
  if (/[A-Z]/.test(char)) return upper
  if (/[a-z]/.test(char)) return lower
  if (/[0-9]/.test(char)) return digit
  if (char === ' ') return space
  if (char === '\t') return tab
  return char === "'" || /\s/.test(char) ? hard : mark
}

function classAt(text: string, index: number): number {
  return index < text.length ? classes[text.charCodeAt(index)]! : end
}

/**
 * End of the piece that starts at `start`, or -1 if only the pattern can decide. Knows the words, numbers, punctuation
 * and indents of plain ASCII on which o200k_base and cl100k_base agree; the characters after them must end them in
 * both.
 */
export function asciiPieceEnd(text: string, start: number): number {
  const first = classAt(text, start)
  if (first === hard || first === foreign) return -1
  if (first === digit) return numberEnd(text, start)

  // A word may be preceded by one character that is not a letter.
  const wordStart = first === upper || first === lower ? start : start + 1
  let at = wordStart
  let kind = classAt(text, at)
  while (kind === upper) kind = classAt(text, ++at)
  while (kind === lower) kind = classAt(text, ++at)
  if (at > wordStart) return kind === upper || kind === hard || kind === foreign ? -1 : at

  if (first === space && kind === space) return indentEnd(text, start)
  if (first === space && kind === digit) return wordStart
  while (kind === mark) kind = classAt(text, ++at)
  if (at === wordStart && first !== mark) return -1
  return first === tab || kind === hard || kind === foreign ? -1 : at
}

/** Up to three digits. */
function numberEnd(text: string, start: number): number {
  let at = start + 1
  while (at < start + 3 && classAt(text, at) === digit) at++
  return at === start + 3 || classAt(text, at) !== foreign ? at : -1
}

/** Two spaces or more; the last one goes to the word or mark that follows. */
function indentEnd(text: string, start: number): number {
  let at = start
  while (classAt(text, at) === space) at++
  const kind = classAt(text, at)
  return kind === upper || kind === lower || kind === digit || kind === mark ? at - 1 : -1
}
