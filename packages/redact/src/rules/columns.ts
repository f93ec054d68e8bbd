import { isCodeShape } from './code-shape.ts'
import type { Scan, Trigger } from './scan.ts'
import { classifyName, type SecretName } from './secret-names.ts'
import { isPromise, isSecretValue, isTypedPassword } from './secret-value.ts'
import { lineStart, matchLength, readValue } from './value-reader.ts'

/** Longer lines are no heads of tables. */
const maxHead = 400
const maxRows = 200
/** A cell of a head: a name of a few words, with the signs that Markdown and CSV put around it. */
const headCell = /^[\s"'`*_]{0,8}(?:#|\(index\)|\p{L}[\p{L}\w ./()-]{0,40})[\s"'`*_]{0,8}$/u
/** Lines between the head and the rows, and around them. */
const rule = /^[\s|+:=-]*-{2,}[\s|+:=-]*$|^[├┼┤─\s]+$/

/** Columns of a table, from the sure sign between them to the doubtful one. */
const separators = [/[|│]/, /\t/, /;/, /,/, / {2,}/]

/** The values below a name in the head of a table: Markdown, CSV, output of a database or of a program. */
export function matchColumn(scan: Scan, start: number, end: number, name: SecretName): boolean {
  const { text } = scan
  if (!isPromise(name.kind) || !/[\n|\t;,"'`* ]/.test(text[end] ?? '')) return false
  const from = lineStart(text, start, maxHead)
  const length = text.slice(end, end + maxHead).indexOf('\n')
  const stop = end + length
  if (from === undefined || length < 0) return false
  const head = text.slice(from, stop).trimEnd()
  const separator = separators.find((one) => one.test(head.trim()))
  if (separator === undefined) return false
  const cells = cellsOf(head, from, separator)
  const column = cells.findIndex((cell) => cell.start <= start && start < cell.end)
  const filled = cells.filter((cell) => cell.text.trim() !== '')
  if (filled.length < 2 || column < 0 || !filled.every((cell) => headCell.test(cell.text))) return false
  // Blanks also separate a word from what it means.
  if (separator.source === ' {2,}' && /[a-z]/.test(head)) return false
  let found = false
  let at = stop + 1
  for (let row = 0; row < maxRows && at < text.length && scan.commandBudget > 0; row++) {
    const next = text.indexOf('\n', at)
    const line = text.slice(at, next < 0 ? text.length : next)
    if (line.trim() === '' || line.length > 4 * maxHead) break
    scan.commandBudget -= line.length
    if (!rule.test(line)) {
      const own = cellsOf(line, at, separator)
      if (own.length !== cells.length) break
      const cell = own[column] as Cell
      const value = /[^\s"'`*|│].*[^\s"'`*|│]/.exec(cell.text)
      if (value !== null && isSecretValue(name, value[0], 'setting') && !isCodeShape(value[0], 'bare')) {
        found = true
        scan.report(cell.start + value.index, cell.start + value.index + value[0].length, name.type)
      }
    }
    if (next < 0) break
    at = next + 1
  }
  return found
}

interface Cell {
  readonly text: string
  readonly start: number
  readonly end: number
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

const insert =
  /insert into[ \t]{1,4}[\w."`[\]]{1,100}\s{0,8}\(([^()]{1,600})\)\s{0,20}values\s{0,20}\(|"columns"\s{0,4}:\s{0,4}\[([^[\]{}]{1,600})\]\s{0,4},\s{0,4}"(?:rows|data|values)"\s{0,4}:\s{0,4}\[\s{0,20}\[/iy
/** From the end of one row to the values of the next. */
const nextRow = /\s{0,8}[)\]]\s{0,8},\s{0,20}[([]/y

/** `INSERT INTO users (name, password) VALUES ('…', '…')`, and the same as JSON. */
export const columnTriggers: readonly Trigger[] = ['insert into', '"columns"'].map((literal) => ({
  literal,
  exact: false,
  match: (scan, at) => {
    insert.lastIndex = at
    const found = insert.exec(scan.text)
    if (found === null) return
    const names = (found[1] ?? found[2]!)
      .split(',')
      .map((column) => classifyName(column.replace(/[\s"`[\]]/g, '')))
    for (let row = 0, from: number | undefined = insert.lastIndex; from !== undefined && row < maxRows; row++)
      from = matchRow(scan, from, names)
  },
}))

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
