import type { SourcePosition } from '../../session/event.ts'
import { asText } from '../../session/json-values.ts'
import type { LogRow, RowRange, SessionWriter } from '../reader/reader.ts'
import { createWriter } from '../shared/writer.ts'

export type CursorState = ReturnType<typeof createCursorState>

export function createCursorState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    at: { file: 0, line: 1 } as SourcePosition,
    results: false,
  })
}

/** Reads the rows of one of Cursor's databases, in the order of its ranges. */
export interface DatabaseReading {
  row(row: LogRow, at: SourcePosition): void
  finish(): void
}

/** The text in the column `value`, which SQLite may hold as bytes. */
export function rowText({ row }: LogRow): string {
  const { value } = row
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (asText(value) ?? '')
}

/** Beginning of the keys of a conversation's messages in the editor's database. */
export function messagesOf(composer: string): string {
  return `bubbleId:${composer}:`
}

/** All keys of the editor's database that begin with a text. */
export function keysFrom(start: string): RowRange {
  return rowsFrom('cursorDiskKV', 'key', start)
}

/** The rows of a table whose value in a column begins with a text. */
export function rowsFrom(table: string, column: string, start: string): RowRange {
  return { table, column, from: start, below: `${start}\u{10ffff}` }
}
