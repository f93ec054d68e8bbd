import { asText, parseJson } from '../../../session/json-values.ts'
import { isTooDeep } from '../../log/parse-line.ts'
import type { LogHead, LogRow, RowRange } from '../../reader/reader.ts'

/**
 * The tables of `state.vscdb` that hold conversations. `ItemTable` holds access tokens: it is never read.
 */
export const editorTables = ['cursorDiskKV', 'composerHeaders'] as const

/** Whether a database is the editor's. */
export function isEditorStore(tables: NonNullable<LogHead['tables']>): boolean {
  const columns = Object.hasOwn(tables, 'cursorDiskKV') ? (tables.cursorDiskKV ?? []) : []
  return columns.includes('key') && columns.includes('value')
}

/** The rows with metadata of all conversations, then the messages of the one asked for, or of all. */
export function editorRanges(sessionId?: string): readonly RowRange[] {
  return [
    { table: 'composerHeaders', column: 'composerId', from: '', below: '\u{10ffff}' },
    keysFrom('composerData:'),
    keysFrom(sessionId === undefined ? 'bubbleId:' : messagesOf(sessionId)),
  ]
}

/** Beginning of the keys of a conversation's messages. */
export function messagesOf(composer: string): string {
  return `bubbleId:${composer}:`
}

/** All keys that begin with a text. */
export function keysFrom(start: string): RowRange {
  return { table: 'cursorDiskKV', column: 'key', from: start, below: `${start}\u{10ffff}` }
}

/** One key. */
export function key(name: string): RowRange {
  return { table: 'cursorDiskKV', column: 'key', from: name, below: `${name}\0` }
}

/** The text in the column `value`, which SQLite may hold as bytes. */
export function rowText({ row }: LogRow): string {
  const { value } = row
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : (asText(value) ?? '')
}

/** The JSON in a text; `undefined` if there is none, or it is nested too deep. */
export function jsonIn(text: string): unknown {
  const data = text === '' ? undefined : parseJson(text)
  return data === undefined || isTooDeep(data, text) ? undefined : data
}
