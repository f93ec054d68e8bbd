import { cleanLine } from '@tenfold/core/internal'
import { type Column, headedTable } from './table.ts'
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts'

export interface Report {
  readonly json: unknown
  readonly indent?: number
  /** The result for a person, printed even with `--quiet`. */
  readonly lines?: Lines
  readonly table?: ReturnType<typeof tableOf>
  /** What the command did, or what to do next. Not printed with `--quiet`. */
  readonly said?: Lines
  /** Printed as a note if there are no lines and no rows. */
  readonly none?: string
  readonly failed?: boolean
}

/** `false` and `undefined` are left out. */
export type Lines = readonly (string | false | undefined)[]

/** Title, cells and settings of a column. Cells are cleaned unless `isClean`, for indented or styled ones. */
export type ColumnOf<Item> = readonly [
  title: string,
  cell: (item: Item) => string | undefined,
  settings?: Omit<Column, 'title'> & { readonly isClean?: true },
]

export function tableOf<Item>(items: readonly Item[], given: readonly ColumnOf<Item>[]) {
  const text = (item: Item, [, cell, settings]: ColumnOf<Item>): string =>
    settings?.isClean ? (cell(item) ?? '') : cleanLine(cell(item) ?? '')
  const columns = given.map(([title, , settings]): Column => ({ title, ...settings }))
  return { columns, rows: items.map((item) => given.map((column) => text(item, column))) }
}

export function printReport(
  terminal: Terminal,
  { json, indent = 2, lines = [], table, said = [], none, failed }: Report,
): ExitCode {
  const rows = table?.rows.length ? headedTable(table.columns, table.rows, terminal) : []
  const all = present([...rows, ...lines])
  const did = present(said)
  if (terminal.json) terminal.printJson(json, indent)
  else {
    if (all.length > 0) terminal.print(all.join('\n'))
    else if (none !== undefined) terminal.note(cleanLine(none))
    if (did.length > 0) terminal.say(did.join('\n'))
  }
  return failed ? exitCodes.failed : exitCodes.done
}

export function present(lines: Lines): string[] {
  return lines.filter((line) => typeof line === 'string')
}
