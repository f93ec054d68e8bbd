/** Characters of a path, URL, identifier or number: a cut inside one would state a wrong one. */
const nameCharacter = /[\p{L}\p{N}_./:@~$%#?&=+-]/u

/** Maximum characters of a name to drop rather than cut it; a longer run (base64, minified code) is cut as needed. */
const reach = 200

/** The beginning of a text, at most `length` characters, that does not end inside a name or with white space. */
export function cutHead(text: string, length: number): string {
  if (text.length <= length) return text
  let end = Math.max(0, length)
  while (end > 0 && length - end < reach && inName(text, end)) end--
  return wellCut(text.slice(0, length - end < reach ? end : length)).trimEnd()
}

/** The end of a text, at most `length` characters, that does not begin inside a name or with white space. */
export function cutTail(text: string, length: number): string {
  if (text.length <= length) return text
  const first = text.length - Math.max(0, length)
  let start = first
  while (start < text.length && start - first < reach && inName(text, start)) start++
  return wellCut(text.slice(start - first < reach ? start : first)).trimStart()
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
