import { isCodeShape } from './code-shape.ts'
import type { Scan, Trigger } from './scan.ts'
import { classifyName, type SecretName } from './secret-names.ts'
import { isPromise, isSecretValue } from './secret-value.ts'
import { isTypedPassword } from './typed-password.ts'
import { lineStart, matchLength, readValue } from './value-reader.ts'

/** Longer lines are no heads of tables. */
const maxHead = 400
const maxRows = 200
/** A cell of a head: a name of a few words, with the signs that Markdown and CSV put around it. */
const headCell = /^[\s"'`*_]{0,8}(?:#|\p{L}[\p{L}\w ./()-]{0,40})[\s"'`*_]{0,8}$/u
/** Lines between the head and the rows, and around them. */
const rule = /^[\s|+:=-]*-{2,}[\s|+:=-]*$/

/** Columns of a table, from the sure sign between them to the doubtful one. */
const separators = [/\|/, /\t/, /;/, /,/, / {2,}/]

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
      const value = /[^\s"'`*|].*[^\s"'`*|]/.exec(cell.text)
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

const insert = /insert into[ \t]{1,4}[\w."`[\]]{1,100}\s{0,8}\(([^()]{1,600})\)\s{0,20}values\s{0,20}\(/iy

/** `INSERT INTO users (name, password) VALUES ('…', '…')`. */
export const columnTriggers: readonly Trigger[] = [
  {
    literal: 'insert into',
    exact: false,
    match: (scan, at) => {
      insert.lastIndex = at
      const found = insert.exec(scan.text)
      if (found === null) return
      const from = insert.lastIndex
      for (const [index, column] of (found[1] as string).split(',').slice(0, 30).entries()) {
        const name = classifyName(column.replace(/[\s"`[\]]/g, ''))
        if (name !== undefined && name.kind !== 'key' && name.kind !== 'vendor')
          matchArgument(scan, from, index)
      }
    },
  },
]

const beforeArgument = /\s{0,40}(?:[\w$.[\]:&*->]{1,80}\s{0,8}[=:]\s{0,8})?/y
/** An argument that is not a literal, such as a variable or a call without arguments. */
const other = /[^\s"'`,()]{1,120}(?:\(\))?/y
const comma = /\\{0,8}["'`]?\s{0,8},/y

/** Reports the argument of this number, counted from 0, if it is a literal that can be a password. */
function matchArgument(scan: Scan, from: number, wanted: number): void {
  let at = from
  for (let argument = 0; argument <= wanted; argument++) {
    at += matchLength(beforeArgument, scan.text, at)
    const value = readValue(scan, at)
    const isLiteral = value?.quoted === true
    if (argument === wanted && isLiteral && isTypedPassword(scan.text.slice(value.start, value.end)))
      scan.report(value.start, value.end, 'password')
    const end = isLiteral ? value.end : at + matchLength(other, scan.text, at)
    const length = matchLength(comma, scan.text, end)
    if (length === 0) return
    at = end + length
  }
}
