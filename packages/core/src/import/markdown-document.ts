import { known } from '../session/known.ts'

/** A section of a Markdown document. */
export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

/** A Markdown document in its parts. */
export interface MarkdownDocument {
  /** Values of the front matter, if there is one. */
  readonly front: ReadonlyMap<string, string>
  /** Text of the first heading of level 1; empty if there is none. */
  readonly title: string
  /** Lines before the first section. */
  readonly intro: readonly string[]
  /** By headings of level 2; deeper ones are lines of their section. */
  readonly sections: readonly Section[]
}

/** Splits a document at its headings; those in fenced code are text. */
export function openDocument(text: string): MarkdownDocument {
  const all = text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
  const { front, rest } = frontMatter(all)
  const intro: string[] = []
  const sections: { title: string; lines: string[] }[] = []
  let title: string | undefined
  let fenced = false
  for (const line of rest) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced
    const [, marks, heading = ''] = fenced ? [] : (/^(#{1,2})\s+(.*?)(?:\s#*)?$/.exec(line) ?? [])
    if (marks === '#' && title === undefined) title = heading.trim()
    else if (marks !== undefined) sections.push({ title: heading.trim(), lines: [] })
    else (sections.at(-1)?.lines ?? intro).push(line)
  }
  return { front, title: title ?? '', intro, sections }
}

function frontMatter(lines: readonly string[]): { front: Map<string, string>; rest: readonly string[] } {
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  const front = new Map<string, string>()
  for (const line of lines.slice(1, Math.max(1, end))) {
    const [, name, value = ''] = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line) ?? []
    const plain = value.trim().replace(/^(["'])(.*)\1$/, '$2')
    if (name !== undefined && plain !== '') front.set(name, plain)
  }
  return { front, rest: lines.slice(end + 1) }
}

const bullet = /^(\s*)(?:[-*+•]|\d{1,4}[.)])\s+(.*)$/
const box = /^\[([ xX~-])\]\s*/

/** The items of a section's lists without bullet, number and box; its paragraphs if it has no list. */
export function listIn(section: Section | undefined): string[] {
  return itemsIn(section)
    .map((item) => item.replace(box, ''))
    .filter((item) => item !== '')
}

/** The items of a section's lists, each with whether its box is ticked. */
export function stepsIn(section: Section | undefined): { text: string; done: boolean }[] {
  return itemsIn(section)
    .map((item) => ({ text: item.replace(box, ''), done: /x/i.test(box.exec(item)?.[1] ?? '') }))
    .filter(({ text }) => text !== '')
}

/** Lines that continue an item are joined to it, and an item below another one is an item of its own. */
function itemsIn(section: Section | undefined): string[] {
  const items: string[] = []
  let open = false
  for (const line of section?.lines ?? []) {
    const item = bullet.exec(line)?.[2]
    if (line.trim() === '') open = false
    else if (item !== undefined || !open) {
      items.push((item ?? line).trim())
      open = true
    } else items.push(`${items.pop()} ${line.trim()}`)
  }
  return items
}

type FileStatus = 'modified' | 'read' | 'named'

/** The files of a list (`- path (why)`, `- path: why`) or of a table (path, why). */
export function filesIn(
  section: Section | undefined,
  status: FileStatus,
): { path: string; status: FileStatus; reason?: string }[] {
  const rows = (section?.lines ?? []).filter((line) => /^\s*\|/.test(line))
  const files = rows.length > 0 ? rowsOf(rows) : itemsIn(section).map(pathAndReason)
  return files
    .map(({ path, reason }) => ({ path, status, ...known({ reason }) }))
    .filter(({ path }) => path !== '')
}

/** The rows after the line of dashes; the first cell is the path. */
function rowsOf(rows: readonly string[]): { path: string; reason: string | undefined }[] {
  const cells = rows.map((row) =>
    row
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  )
  const head = cells.findIndex((row) => row.every((cell) => /^:?-+:?$/.test(cell)))
  return cells
    .slice(head + 1)
    .map(([path = '', ...rest]) => ({ path: bare(path), reason: rest.join('; ') || undefined }))
}

function pathAndReason(item: string): { path: string; reason: string | undefined } {
  const [, path = item, inBrackets, after] =
    /^(`[^`]+`|\S+?)(?:\s+\((.+)\)|(?::|\s+[-–—])\s+(.+))?$/.exec(item) ?? []
  return { path: bare(path), reason: inBrackets ?? after }
}

function bare(path: string): string {
  return path.replace(/^`(.*)`$/, '$1')
}
