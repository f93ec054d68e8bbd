/** How a heredoc body ends: its closing word, and whether leading tabs are removed. */
export interface Heredoc {
  readonly word: string
  readonly tabs: boolean
}

/** Reads `<<WORD`, `<<-WORD`, `<<'WORD'` at `start` (the first `<`); `undefined` if there is none. */
export function readHeredocStart(
  text: string,
  start: number,
): (Heredoc & { readonly end: number }) | undefined {
  if (!text.startsWith('<<', start) || text[start + 2] === '<') return undefined
  let at = start + 2
  const tabs = text[at] === '-'
  if (tabs) at += 1
  while (text[at] === ' ' || text[at] === '\t') at += 1
  const quote = text[at]
  if (quote === "'" || quote === '"') {
    const close = text.indexOf(quote, at + 1)
    if (close < 0) return undefined
    return { word: text.slice(at + 1, close), tabs, end: close + 1 }
  }
  const from = at
  while (at < text.length && !' \t\n;|&<>()"\'`'.includes(text[at] ?? '')) at += 1
  const word = text.slice(from, at).replaceAll('\\', '')
  return word === '' ? undefined : { word, tabs, end: at }
}

/** Returns the body of a heredoc that begins at the line at `start`, and the position after its closing line. */
export function readHeredocBody(text: string, start: number, doc: Heredoc): { body: string; end: number } {
  let at = start
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    let from = at
    if (doc.tabs) while (text[from] === '\t') from += 1
    if (end - from === doc.word.length && text.startsWith(doc.word, from)) {
      return { body: text.slice(start, at), end }
    }
    if (newline < 0) break
    at = newline + 1
  }
  return { body: text.slice(start), end: text.length }
}

/**
 * Returns the content of PowerShell's `@'…'@` or `@"…"@` at `start`, and the position after it; `undefined` if there is
 * none. The opening mark ends its line, and the closing one begins its line; without a closing mark the content ends
 * with the text.
 */
export function readHereString(text: string, start: number): { content: string; end: number } | undefined {
  const quote = text[start + 1]
  if (text[start] !== '@' || (quote !== "'" && quote !== '"')) return undefined
  let from = start + 2
  while (text[from] === ' ' || text[from] === '\t' || text[from] === '\r') from += 1
  if (text[from] !== '\n') return undefined
  const close = text.indexOf(`\n${quote}@`, from)
  return close < 0
    ? { content: text.slice(from + 1), end: text.length }
    : { content: text.slice(from + 1, close), end: close + 3 }
}

/**
 * Returns the position after the construct at `start` (`$(`, `${`, `(`, a backtick or a double quote), including
 * everything nested in it; the end of the text if it does not close. One pass, no recursion.
 */
export function skipNested(text: string, start: number, escapeChar = '\\'): number {
  const open: string[] = []
  let docs: Heredoc[] = []
  let at = start
  while (at < text.length) {
    const char = text[at] as string
    const top = open.at(-1)
    if (char === escapeChar) {
      at += 2
      continue
    }
    const here = char === '@' && escapeChar === '`' && top !== '"' ? readHereString(text, at) : undefined
    if (here !== undefined) {
      at = here.end
      continue
    }
    if (char === top) {
      open.pop()
      at += 1
      if (open.length === 0) return at
      continue
    }
    const isBare = top !== '"' && top !== '`'
    const opening = char === '$' && /^[({]/.test(text[at + 1] ?? '') ? text[at + 1] : char
    if (opening !== char || char === '`' || char === '"' || (isBare && char === '(')) {
      open.push(opening === '(' ? ')' : opening === '{' ? '}' : char)
      at += opening === char ? 1 : 2
      continue
    }
    if (isBare) {
      if (char === "'" && top !== '}') {
        const close = text.indexOf("'", at + 1)
        at = close < 0 ? text.length : close + 1
        continue
      }
      if (char === '<') {
        const doc = readHeredocStart(text, at)
        if (doc !== undefined) {
          docs.push(doc)
          at = doc.end
          continue
        }
      }
      if (char === '\n' && docs.length > 0) {
        at += 1
        for (const doc of docs) at = Math.min(readHeredocBody(text, at, doc).end + 1, text.length)
        docs = []
        continue
      }
    }
    at += 1
  }
  return text.length
}
