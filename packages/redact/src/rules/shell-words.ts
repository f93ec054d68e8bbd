/** A word of a command line and its position; quotes around it are not part of it. */
export interface ShellWord {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly quoted: boolean
}

/** Maximum length of a command line to read; programs take passwords early. */
const longest = 600

/**
 * The words of a command from an offset up to the end of the command, or `most` of them. Quotes may be escaped, as in a command inside a
 * string; a backslash before a line break continues the line.
 */
export function shellWords(text: string, at: number, most = longest): ShellWord[] {
  const words: ShellWord[] = []
  const limit = Math.min(text.length, at + longest)
  let index = at
  while (index < limit && words.length < most) {
    const blank = blankLength(text, index)
    if (blank > 0) index += blank
    else if (endsCommand(text, index)) break
    else {
      const end = endOfWord(text, index, limit)
      words.push(unquoted(text, index, end))
      index = end
    }
  }
  return words
}

/** The next element of a list of strings; a list of arguments may follow the program as a setting or an argument. */
const element =
  /\s{0,80},\s{0,80}(?:\\{0,8}["']args\\{0,8}["']\s{0,8}:\s{0,8})?(?:\[\s{0,80})?(\\{0,8}["'])([^"'\\\n]{0,400})\1/y

/** The strings of a list that follow the one which ends at an offset: `["mysql", "-p", "…"]`. */
export function listWords(text: string, at: number): (ShellWord & { readonly open: number })[] {
  const words: (ShellWord & { readonly open: number })[] = []
  for (element.lastIndex = at; element.lastIndex - at < longest; ) {
    const [, quote, word] = element.exec(text) ?? []
    if (quote === undefined || word === undefined) break
    const end = element.lastIndex - quote.length
    const start = end - word.length
    words.push({ start, end, text: word, quoted: true, open: start - quote.length })
  }
  return words
}

function blankLength(text: string, at: number): number {
  if (text[at] === ' ' || text[at] === '\t') return 1
  if (text[at] !== '\\') return 0
  if (text[at + 1] === '\n') return 2
  if (text[at + 1] === '\r' && text[at + 2] === '\n') return 3
  // A continued line within a string of JSON.
  return text.startsWith('\\\\\\n', at) ? 4 : 0
}

function endsCommand(text: string, at: number): boolean {
  const character = text[at] as string
  if (character === '\n' || character === '\r' || character === '|' || character === ';' || character === '`')
    return true
  if (character === ')' || character === '>' || character === '<') return true
  // Within a word, it is part of a password that somebody forgot to quote.
  if (character === '&') return !/^[^\s&]&[^\s&]/.test(text.slice(at - 1, at + 2))
  return character === '\\' && (text[at + 1] === 'n' || text[at + 1] === 'r')
}

function endOfWord(text: string, start: number, limit: number): number {
  let index = start
  while (index < limit) {
    const quote = quoteAt(text, index)
    if (quote !== undefined) {
      const close = text.indexOf(quote, index + quote.length)
      const line = text.indexOf('\n', index)
      // A quote without an end belongs to the string around the command.
      if (close === -1 || close >= limit || (line !== -1 && line < close))
        return index === start ? index + quote.length : index
      index = close + quote.length
    } else if (blankLength(text, index) > 0 || endsCommand(text, index)) return index
    else index++
  }
  return index
}

function quoteAt(text: string, at: number): string | undefined {
  let index = at
  while (text[index] === '\\' && index - at < 8) index++
  return text[index] === '"' || text[index] === "'" ? text.slice(at, index + 1) : undefined
}

function unquoted(text: string, start: number, end: number): ShellWord {
  const quote = quoteAt(text, start)
  if (quote === undefined || end - start < 2 * quote.length || !text.startsWith(quote, end - quote.length))
    return { start, end, text: text.slice(start, end), quoted: false }
  const inside = { start: start + quote.length, end: end - quote.length }
  return { ...inside, text: text.slice(inside.start, inside.end), quoted: true }
}
