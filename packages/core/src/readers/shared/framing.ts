import * as json from '../../session/json.ts'
import type { Framing, LogHead, LogRow } from '../reader/reader.ts'

/** A document if the file is one, otherwise lines of JSON. */
export function linesUnlessDocument({ document }: LogHead): Framing {
  return document === undefined ? 'lines' : 'document'
}

/** Lines of JSON if the file has any, otherwise a document, which may be incomplete. */
export function documentUnlessLines({ document, records }: LogHead): Framing {
  return document !== undefined || records.length === 0 ? 'document' : 'lines'
}

/** The rows of a database, otherwise like {@link documentUnlessLines}. */
export function rowsOrDocument(head: LogHead): Framing {
  return head.tables === undefined ? documentUnlessLines(head) : 'rows'
}

export function hasColumn(tables: NonNullable<LogHead['tables']>, table: string, column: string): boolean {
  return Object.hasOwn(tables, table) && (tables[table] ?? []).includes(column)
}

/** Returns the text in a column, which SQLite may hold as bytes. */
export function columnText(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (json.text(value) ?? '')
}

export function asRow(value: unknown): LogRow | undefined {
  const [row, table] = [json.object(value, 'row'), json.text(value, 'table')]
  return row === undefined || table === undefined ? undefined : { table, row }
}
