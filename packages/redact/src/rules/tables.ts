import { isCodeShape } from './code-shape.ts'
import type { Scan, Trigger } from './scan.ts'
import { classifyName, type SecretName } from './secret-names.ts'
import { isPromise, isSecretValue, isTypedPassword } from './secret-value.ts'
import { lineStart, matchLength, readValue } from './value-reader.ts'

/** Longer lines are no heads of tables. */
const maxHead = 400
const maxRows = 200
/** A cell of a head: a name of a few words, with the signs that Markdown and CSV put around it. */
const headCell = /^[\s"'`*_]{0,60}(?:#|\(index\)|\p{L}[\p{L}\w ./()-]{0,40})[\s"'`*_]{0,8}$/u
/** Lines between the head and the rows, and around them. */
const rule = /^[\s|+:=-]*(?:-{2,}|={3,})[\s|+:=-]*$|^\|-+$|^[├┼┤─\s]+$/
const shown = /[^\s"'`*|│].*[^\s"'`*|│]/

interface Cell {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** How a line is parted into cells, from the sure sign to the doubtful one. */
const separators = [/\|{1,2}|│|!!|^!/, /\t/, /;/, /,/, / {2,}/]
/** Words of the head of a file of settings, which is a comment. */
const comment = /^#[ \t]*(?=\w+[ \t]+\w+[ \t]+\w)/

/** The values below a name in the head of a table: Markdown, CSV, HTML, output of a database or of a program. */
export function matchColumn(scan: Scan, start: number, end: number, name: SecretName): boolean {
  const { text } = scan
  if (!isPromise(name.kind) || !/[\n|\t;,"'`* <\]]/.test(text[end] ?? '')) return false
  if (text[end] === '<') return matchHtml(scan, start, name)
  const from = lineStart(text, start, maxHead)
  const length = text.slice(end, end + maxHead).indexOf('\n')
  if (from === undefined || length < 0) return false
  const line = text.slice(from, end + length).trimEnd()
  const lead = comment.exec(line)?.[0].length ?? 0
  const head = line.slice(lead)
  const separator = lead > 0 ? / +|\t+/ : separators.find((one) => one.test(head.trim()))
  if (separator === undefined) return false
  const cells = cellsOf(head, from + lead, separator)
  const filled = cells.filter((cell) => cell.text.trim() !== '')
  const own = cells.find((cell) => cell.start <= start && start < cell.end)
  if (filled.length < 2 || own === undefined || !filled.every((cell) => headCell.test(cell.text)))
    return false
  const body = end + length + 1
  if (/^\|.*[^|]$/.test(head) && !/^\|{2}|!!/.test(head))
    return matchPipes(scan, body, filled.length, filled.indexOf(own), name)
  const find = (row: readonly Cell[]): Cell | undefined =>
    separator.source === ' {2,}'
      ? (numbered(row, filled.length, filled.indexOf(own)) ?? aligned(row, own, from, text))
      : row.length === cells.length
        ? row[cells.indexOf(own)]
        : undefined
  let found = false
  let at = body
  for (let row = 0; row < maxRows && at < text.length && scan.commandBudget > 0; row++) {
    const next = text.indexOf('\n', at)
    const said = text.slice(at, next < 0 ? text.length : next)
    if (said.trim() === '' || said.length > 4 * maxHead) break
    scan.commandBudget -= said.length
    if (!rule.test(said)) {
      const cell = find(cellsOf(said, at, separator))
      if (cell === undefined) break
      found = reportCell(scan, cell, name) || found
    }
    if (next < 0) break
    at = next + 1
  }
  return found
}

function cellsOf(line: string, from: number, separator: RegExp): Cell[] {
  const cells: Cell[] = []
  let at = 0
  for (const match of line.matchAll(new RegExp(separator, 'g'))) {
    cells.push({ text: line.slice(at, match.index), start: from + at, end: from + match.index })
    at = match.index + match[0].length
  }
  cells.push({ text: line.slice(at), start: from + at, end: from + line.length })
  return cells
}

/** The cell of a row with its number, as data frames are printed. */
function numbered(row: readonly Cell[], columns: number, column: number): Cell | undefined {
  return row.length === columns + 1 && /^\d+$/.test(row[0]!.text) ? row[column + 1] : undefined
}

/** The cell that begins or ends below the head of its column, as blanks align it. */
function aligned(row: readonly Cell[], head: Cell, headFrom: number, text: string): Cell | undefined {
  const first = row[0]?.start ?? 0
  const [start, end] = [head.start - headFrom, head.start - headFrom + head.text.trimEnd().length]
  const cell = row.find(
    (one) => one.start - first === start || one.start - first + one.text.trimEnd().length === end,
  )
  const isAlone = row.filter((one) => one.text.trim() !== '').length < 2
  return isAlone || (cell !== undefined && /\s/.test(cell.text.trim()) && !/\s/.test(text[cell.end] ?? '\n'))
    ? undefined
    : cell
}

function reportCell(scan: Scan, cell: Cell, name: SecretName): boolean {
  const value = shown.exec(cell.text)
  if (value === null || !isSecretValue(name, value[0], 'setting') || isCodeShape(value[0], 'bare'))
    return false
  scan.report(cell.start + value.index, cell.start + value.index + value[0].length, name.type)
  return true
}

/** Cells of AsciiDoc, which begin with a sign and may be lines of their own. */
function matchPipes(scan: Scan, from: number, columns: number, column: number, name: SecretName): boolean {
  if (scan.commandBudget < 0) return false
  const body = scan.text.slice(from, from + 4 * maxHead).split('|===')[0] as string
  scan.commandBudget -= body.length
  let found = false
  for (const [index, { 0: cell, index: at }] of [...body.matchAll(/\|[^|\n]*/g)].entries())
    if (index % columns === column && !rule.test(cell))
      found = reportCell(scan, { text: cell, start: from + at, end: from + at + cell.length }, name) || found
  return found
}

const htmlCell =
  /<t[hd]\b[^<>]{0,100}>\s*(?:<(?:b|strong|code|kbd|tt|span|em)\b[^<>]{0,60}>)?([^<>]*)|<(\/table|\/?tr)\b/gi

/** The cells of HTML below a head. */
function matchHtml(scan: Scan, start: number, name: SecretName): boolean {
  const begin = Math.max(0, start - 4 * maxHead)
  const row = scan.text.slice(begin, start).lastIndexOf('<tr')
  if (row < 0 || scan.commandBudget < 0) return false
  const from = begin + row
  const body = scan.text.slice(from, start + 20 * maxHead)
  scan.commandBudget -= body.length
  let column = 0
  let own = -1
  let found = false
  for (const { 0: cell, 1: said, 2: tag, index } of body.matchAll(htmlCell)) {
    const at = from + index
    if (tag !== undefined) {
      if (tag.toLowerCase() === '/table') break
      if (own < 0 && at > start) return false
      column = 0
      continue
    }
    const [inside, end] = [at + cell.length - (said as string).length, at + cell.length]
    if (inside <= start && start < end) own = column
    else if (column === own)
      found = reportCell(scan, { text: said as string, start: inside, end }, name) || found
    column++
  }
  return found
}

const insert =
  /insert into[ \t]{1,4}[\w."`[\]]{1,100}\s{0,8}\(([^()]{1,600})\)\s{0,20}values\s{0,20}\(|"(?:columns|headers?|fields)"\s{0,4}:\s{0,4}\[([^[\]{}]{1,600})\]\s{0,4},\s{0,4}"(?:rows|data|values)"\s{0,4}:\s{0,4}\[\s{0,20}\[/iy
/** From the end of one row to the values of the next. */
const nextRow = /\s{0,8}[)\]]\s{0,8},\s{0,20}[([]/y

/** `INSERT INTO users (name, password) VALUES ('…', '…')`, and the same as JSON. */
export const rowTriggers: readonly Trigger[] = [
  ...['insert into', '"columns"', '"header', '"fields"'].map((literal) => ({
    literal,
    exact: false,
    match: matchRows,
  })),
  { literal: ') from stdin', exact: false, match: matchCopied },
]

const copied = /copy[ \t][\w."]{1,100}[ \t]{0,4}\(([\w", ]{1,400})$/i

/** Rows that follow `COPY users (name, password) FROM stdin`, with tabs between their cells. */
function matchCopied(scan: Scan, at: number): void {
  const names = copied.exec(scan.text.slice(Math.max(0, at - 500), at))?.[1]?.split(',') ?? []
  let from = scan.text.indexOf('\n', at) + 1
  for (let row = 0; row < maxRows && names.length > 0 && scan.commandBudget > 0; row++) {
    const line = scan.text.slice(from, from + 4 * maxHead).split('\n')[0] as string
    scan.commandBudget -= line.length + names.length
    const cells = cellsOf(line, from, /\t/)
    if (cells.length !== names.length) return
    for (const [column, cell] of cells.entries()) {
      const name = classifyName((names[column] as string).replace(/[\s"]/g, ''))
      if (name !== undefined && isPromise(name.kind)) reportCell(scan, cell, name)
    }
    from += line.length + 1
  }
}

function matchRows(scan: Scan, at: number): void {
  insert.lastIndex = at
  const found = insert.exec(scan.text)
  if (found === null) return
  const names = ((found[1] ?? found[2]) as string)
    .split(',')
    .map((column) => classifyName(column.replace(/[\s"`[\]]/g, '')))
  for (let row = 0, from: number | undefined = insert.lastIndex; from !== undefined && row < maxRows; row++)
    from = matchRow(scan, from, names)
}

const beforeArgument = /\s{0,40}(?:[\w$.[\]:&*->]{1,80}\s{0,8}[=:]\s{0,8})?/y
/** An argument that is not a literal, such as a variable or a call without arguments. */
const other = /[^\s"'`,()]{1,120}(?:\(\))?/y
const comma = /\\{0,8}["'`]?\s{0,8},/y

/** Reports the literals below names that say secret; returns where the values of the next row start. */
function matchRow(scan: Scan, from: number, names: readonly (SecretName | undefined)[]): number | undefined {
  let at = from
  for (const name of names) {
    at += matchLength(beforeArgument, scan.text, at)
    const value = readValue(scan, at)
    const isLiteral = value?.quoted === true
    const isNamed = name !== undefined && name.kind !== 'key' && name.kind !== 'vendor'
    if (isNamed && isLiteral && isTypedPassword(scan.text.slice(value.start, value.end)))
      scan.report(value.start, value.end, 'password')
    at = isLiteral ? value.end : at + matchLength(other, scan.text, at)
    at += matchLength(comma, scan.text, at)
  }
  at += matchLength(/\\{0,8}["'`]/y, scan.text, at)
  const length = matchLength(nextRow, scan.text, at)
  return length === 0 ? undefined : at + length
}
