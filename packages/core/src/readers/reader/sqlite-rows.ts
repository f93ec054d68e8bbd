import type { Database } from 'sql.js'
import { LogReadError, messageOf } from '../../errors.ts'
import { decodeLog } from '../log/decode-log.ts'
import { joined, type LogFile } from '../log/log-file.ts'
import { applyWal } from '../log/sqlite-wal.ts'
import type { LogRecord, LogRow, Reader, RowRange } from './reader.ts'
import type { LineSink } from './session-builder.ts'

type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>

const magic = Buffer.from('SQLite format 3\0', 'latin1')
const maxDatabaseBytes = 1024 * 1024 * 1024

export async function isDatabase(file: LogFile): Promise<boolean> {
  return (await joined(decodeLog(file), magic.length)).subarray(0, magic.length).equals(magic)
}

/** Opens a database with its write-ahead log in memory. Throws `LogReadError` if it is damaged or over 1 GiB. */
export async function openDatabase(file: LogFile, journal?: LogFile) {
  const main = await bytesOf(file)
  const bytes = applyWal(main, journal === undefined ? undefined : await bytesOf(journal))
  const { default: initSqlJs } = await import('sql.js')
  const { Database } = await initSqlJs()
  const database = new Database(bytes)
  try {
    return { tables: tablesOf(database), ...reading(database) }
  } catch (cause) {
    database.close()
    const fault = `${file.name} is an SQLite database that cannot be read: ${messageOf(cause)}. Export the session, or copy the database again.`
    throw new LogReadError('log-unreadable', fault, { cause })
  }
}

async function bytesOf(file: LogFile): Promise<Buffer> {
  // A database holds many sessions, so it has its own limit and may be larger than a log.
  const bytes = await joined(decodeLog({ ...file, maxBytes: 2 * maxDatabaseBytes }), maxDatabaseBytes + 1)
  if (bytes.length <= maxDatabaseBytes) return bytes
  throw new LogReadError('log-unreadable', `${file.name} is a database of over 1 GiB; export the session.`)
}

function reading(database: Database) {
  return {
    *rows(table: string, range?: RowRange): Generator<LogRow['row']> {
      const column = range === undefined ? '' : quoted(range.column)
      const where = range === undefined ? '' : ` WHERE ${column} >= ? AND ${column} < ? ORDER BY ${column}`
      const statement = database.prepare(`SELECT * FROM ${quoted(table)}${where}`)
      try {
        if (range !== undefined) statement.bind([range.from, range.below])
        const columns = statement.getColumnNames()
        while (statement.step()) {
          const values = statement.get()
          yield Object.fromEntries(columns.map((column, index) => [column, values[index]]))
        }
      } finally {
        statement.free()
      }
    },
    count(table: string): number {
      const value = database.exec(`SELECT count(*) FROM ${quoted(table)}`)[0]?.values[0]?.[0]
      return typeof value === 'number' ? value : 0
    },
    close: () => database.close(),
  }
}

function tablesOf(database: Database): Record<string, readonly string[]> {
  const names = database.exec(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  )
  const tables = (names[0]?.values ?? []).map(([name]): [string, string[]] => {
    const info = database.exec(`PRAGMA table_info(${quoted(String(name))})`)
    return [String(name), (info[0]?.values ?? []).map((column) => String(column[1]))]
  })
  return Object.fromEntries(tables)
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export interface RowSource {
  readonly file: number
  readonly log: LogFile
  readonly journal?: LogFile
  readonly tables: Reader['tables']
  /** The rows of these tables to read. @default all */
  readonly ranges?: readonly RowRange[]
  readonly sink: LineSink
  readonly tally: { lines: number }
}

/** Yields a batch of records for each table or range. Rows that the reader did not request are only counted. */
export async function* readRows(source: RowSource): AsyncGenerator<Iterable<LogRecord>, void> {
  const database = await openDatabase(source.log, source.journal)
  try {
    const ranged: string[] = []
    for (const table of Object.keys(database.tables)) {
      const read = source.tables?.includes(table) ?? true
      if (!read) skipRows(database.count(table), `table ${table}`, source)
      else if (source.ranges !== undefined) ranged.push(table)
      else yield tableRows(database, table, source)
    }
    if (source.ranges !== undefined) yield* rangesOfRows(database, ranged, source)
  } finally {
    database.close()
  }
}

function* rangesOfRows(database: OpenDatabase, tables: readonly string[], source: RowSource) {
  const before = source.tally.lines
  const first = [...(source.ranges ?? [])]
  for (let next = first.shift(); next !== undefined; next = first.shift() ?? source.sink.nextRange()) {
    const { table, column } = next
    if (tables.includes(table) && database.tables[table]?.includes(column) === true)
      yield tableRows(database, table, source, next)
  }
  const all = tables.reduce((sum, table) => sum + database.count(table), 0)
  skipRows(all - (source.tally.lines - before), 'rows that the session does not need', source)
}

function skipRows(count: number, reason: string, { sink, tally }: RowSource): void {
  if (count <= 0) return
  tally.lines += count
  sink.skipped(count, reason)
}

function* tableRows(database: OpenDatabase, table: string, source: RowSource, range?: RowRange) {
  const { file, log, sink, tally } = source
  try {
    for (const row of database.rows(table, range)) {
      tally.lines++
      const record = { value: { table, row }, text: '', line: tally.lines, file }
      sink.begin(record)
      yield record
    }
  } catch (cause) {
    // A damaged page ends only its own table.
    if (!(cause instanceof Error) || cause instanceof LogReadError) throw cause
    tally.lines++
    sink.lineNote(file, tally.lines, 'bad-table', `${log.name}: table ${table} breaks off: ${cause.message}`)
    sink.lost()
  }
}
