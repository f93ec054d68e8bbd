/** A line of prose or of a block of commands. */
interface Line {
  readonly text: string
  readonly indent: number
  readonly isItem: boolean
  readonly isNumbered: boolean
  readonly isCode: boolean
  readonly isAfterBlank: boolean
  readonly box?: 'open' | 'ticked'
}

/** A heading, or a line that introduces a list, with the lines below it. */
export interface Section {
  readonly title: string
  readonly level: number
  readonly lines: Line[]
}

/** Level of an introducing line: below all headings. */
const leadIn = 9

/** Splits a Markdown text at its headings and introducing lines. `isLabel` recognizes a separate line as one. */
export function sectionsOf(text: string, isLabel: (line: string) => boolean): Section[] {
  const first: Section = { title: '', level: 0, lines: [] }
  const sections = [first]
  let fence = ''
  let isAfterBlank = false
  for (const raw of text.split('\n')) {
    const line = raw.trim()
    const mark = /^(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    const isCode = fence !== ''
    const isFence = mark !== '' && (!isCode || line === fence)
    if (isFence) fence = isCode ? '' : mark
    if (isFence || line === '' || (!isCode && /^[>|]|^(?:---|===)/.test(line))) {
      isAfterBlank ||= line === ''
      continue
    }
    const isItem = !isCode && listMark.test(line)
    const body = isCode ? line : plain(line.replace(listMark, ''))
    const title = isCode ? undefined : titleOf(line, body, isItem, !isItem && isLabel(body))
    if (title === undefined) {
      const isBoxed = /^(?:\[[ xX]\]|[✅✓✔])/u.test(body)
      sections.at(-1)?.lines.push({
        text: body,
        indent: raw.search(/\S/),
        isItem,
        isNumbered: isItem && /^\d/.test(line),
        isCode,
        isAfterBlank,
        ...(isBoxed && { box: body.startsWith('[ ]') ? 'open' : 'ticked' }),
      })
    } else sections.push({ title, level: /^(?:#+|<)/.exec(line)?.[0].length ?? leadIn, lines: [] })
    isAfterBlank = false
  }
  return sections
}

const listMark = /^(?:[-*•+]|\d{1,2}[.)])\s+/

/** Returns the title in a heading, a line in bold, a tag, a label alone, or a line that ends in a colon. */
function titleOf(line: string, body: string, isItem: boolean, isLabel: boolean): string | undefined {
  const words =
    /^#{1,6}\s+(.+)$/.exec(line)?.[1] ??
    /^\*\*([^*]{2,80})\*\*:?$/.exec(line)?.[1] ??
    /^<(\w{2,30})>$/.exec(line)?.[1]?.replaceAll('_', ' ') ??
    (/^<\/\w{2,30}>$/.test(line) ? '' : undefined) ??
    (isLabel ? body : undefined) ??
    (isItem || body.length > 120 ? undefined : /^(.+)[:：]$/.exec(body)?.[1])
  return words === undefined || /[?？]$/.test(words) ? undefined : plain(words)
}

/** Returns the first list of a section: its items, its commands, or its first line. `end` is the line after them. */
export function listOf(lines: readonly Line[]): { items: readonly string[]; end: number } {
  const start = lines.findIndex(({ isItem }) => isItem)
  if (start < 0 || start > 1) {
    const [line] = lines
    if (line === undefined) return nothing
    const commands = lines.filter(({ isCode, text }) => isCode && /^(?:\$ )?[\w./-]+ \S/.test(text))
    return line.isCode
      ? { items: commands.map(({ text }) => `\`${text.replace(/^\$ /, '')}\``), end: lines.length }
      : { items: [line.text], end: 1 }
  }
  const after = lines.findIndex(({ isItem, isAfterBlank }, at) => at > start && !isItem && isAfterBlank)
  const end = after < 0 ? lines.length : after
  const indent = lines[start]?.indent ?? 0
  const own = lines.slice(start, end).filter((line) => line.isItem && line.indent <= indent)
  return { items: own.filter(({ box }) => box !== 'ticked').map(({ text }) => text), end }
}

export const nothing = { items: [], end: 0 }

function plain(text: string): string {
  return text
    .replace(/\*\*|__/g, '')
    .replace(/\[([^\]]{1,200})\]\([^)]{1,400}\)/g, '$1')
    .trim()
}
