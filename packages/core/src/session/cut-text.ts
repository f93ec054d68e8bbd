/** Characters of a path, pattern, URL, identifier or number. A cut inside such a value would leave a wrong one. */
const nameCharacter = /[\p{L}\p{N}_./:@~$%#?&=+*\\^-]/u

const asciiNameCharacter = /[\w./:@~$%#?&=+*\\^-]/

/** Maximum characters of a name that is dropped rather than cut; longer runs (base64, minified code) are cut. */
const reach = 200

/** Returns the beginning of a text, at most `length` characters, that ends neither inside a value nor with white space. */
export function cutHead(text: string, length: number): string {
  if (text.length <= length) return text
  let end = Math.max(0, length)
  while (end > 0 && length - end < reach && inName(text, end)) end--
  if (length - end >= reach) end = length
  const quoted = quoteAround(text, end)
  const head = wellCut(text.slice(0, quoted === undefined || quoted.start < end / 4 ? end : quoted.start))
  const open = openQuote(head)
  // Half a command or value would be wrong.
  return (open > head.length / 4 ? head.slice(0, open) : head).trimEnd()
}

/** Returns the end of a text, at most `length` characters, that begins neither inside a value nor with white space. */
export function cutTail(text: string, length: number): string {
  if (text.length <= length) return text
  const first = text.length - Math.max(0, length)
  let start = first
  while (start < text.length && start - first < reach && inName(text, start)) start++
  if (start - first >= reach) start = first
  const quoted = quoteAround(text, start)
  const isLong = quoted !== undefined && quoted.end - start > (text.length - start) * 0.75
  const tail = wellCut(text.slice(quoted === undefined || isLong ? start : quoted.end))
  const closed = tail.indexOf('`')
  const isHalf =
    closed >= 0 && closed < tail.length * 0.75 && openQuote(text.slice(0, text.length - tail.length)) >= 0
  return (isHalf ? tail.slice(closed + 1) : tail).trimStart()
}

/** A quoted string, with the name that it is assigned to: `NAME="a b"`, `-run "A|B"`. */
const quotedString =
  /(?:[\w.-]{1,80}[=:])?(?<![\p{L}\p{N}\\])(?:"[^"\n]{1,120}"|'[^'\n]{1,120}')(?![\p{L}\p{N}])/gu

function quoteAround(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  const first = Math.max(0, text.lastIndexOf('\n', at - 1) + 1, at - quoteWindow)
  const line = text.slice(first, at + reach).split('\n', 1)[0] ?? ''
  if (!/["']/.test(line)) return undefined
  for (const { 0: quoted, index } of line.matchAll(quotedString)) {
    const start = first + index
    if (start < at && at < start + quoted.length) return { start, end: start + quoted.length }
  }
  return undefined
}

/** Number of characters before a cut that are searched for an opening quote. */
const quoteWindow = 1000

/** Returns the position of an unpaired backquote on the last line, or -1. */
function openQuote(text: string): number {
  const line = text.lastIndexOf('\n') + 1
  const quotes = text.slice(line).match(/`/g)?.length ?? 0
  return quotes % 2 === 1 ? text.lastIndexOf('`') : -1
}

/** Whether a cut would be inside a name. Scripts without spaces may be cut between letters. */
function inName(text: string, at: number): boolean {
  return isNamePart(text[at - 1] ?? ' ') && isNamePart(text[at] ?? ' ')
}

function isNamePart(char: string): boolean {
  return asciiNameCharacter.test(char) || (char > '\x7f' && char < '\u2e80' && nameCharacter.test(char))
}

/** Drops half of a surrogate pair at either end of a text, which would become U+FFFD on disk. */
export function wellCut(text: string): string {
  const first = text.charCodeAt(0)
  const last = text.charCodeAt(text.length - 1)
  const start = first >= 0xdc00 && first <= 0xdfff ? 1 : 0
  return text.slice(start, last >= 0xd800 && last <= 0xdbff ? -1 : undefined)
}
