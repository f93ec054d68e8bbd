/** Characters of a path, URL, identifier or number: a cut inside one would state a wrong one. */
const nameCharacter = /[\p{L}\p{N}_./:@~$%#?&=+-]/u

/** Maximum characters of a name to drop rather than cut it; a longer run (base64, minified code) is cut as needed. */
const reach = 200

/** The beginning of a text, at most `length` characters, that does not end inside a name or with white space. */
export function cutHead(text: string, length: number): string {
  if (text.length <= length) return text
  let end = Math.max(0, length)
  while (end > 0 && length - end < reach && inName(text, end)) end--
  const head = wellCut(text.slice(0, length - end < reach ? end : length))
  const open = openQuote(head)
  // Half a command or value would be a wrong one.
  return (open > head.length / 4 ? head.slice(0, open) : head).trimEnd()
}

/** The end of a text, at most `length` characters, that does not begin inside a name or with white space. */
export function cutTail(text: string, length: number): string {
  if (text.length <= length) return text
  const first = text.length - Math.max(0, length)
  let start = first
  while (start < text.length && start - first < reach && inName(text, start)) start++
  const tail = wellCut(text.slice(start - first < reach ? start : first))
  const closed = tail.indexOf('`')
  const isHalf =
    closed >= 0 && closed < tail.length * 0.75 && openQuote(text.slice(0, text.length - tail.length)) >= 0
  return (isHalf ? tail.slice(closed + 1) : tail).trimStart()
}

/** Position of a backquote that has no second one on its line, -1 if there is none. */
function openQuote(text: string): number {
  const line = text.lastIndexOf('\n') + 1
  const quotes = text.slice(line).match(/`/g)?.length ?? 0
  return quotes % 2 === 1 ? text.lastIndexOf('`') : -1
}

/**
 * Whether the characters on both sides of a cut belong to one name. Scripts without spaces may be cut between letters.
 */
function inName(text: string, at: number): boolean {
  const before = text[at - 1] ?? ' '
  const after = text[at] ?? ' '
  return isNamePart(before) && isNamePart(after)
}

function isNamePart(char: string): boolean {
  return char < '\u2e80' && nameCharacter.test(char)
}

/** A cut may have split a surrogate pair: the halves would become U+FFFD on disk. */
function wellCut(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
}
