import type { LogHead, RowRange } from '../reader/reader.ts'

type Tables = NonNullable<LogHead['tables']>

/**
 * The tables with conversations: those of the editor's `state.vscdb`, whose `ItemTable` holds access tokens and is never
 * read, and those of `store.db`, a chat of the CLI.
 */
export const cursorTables = ['cursorDiskKV', 'composerHeaders', 'meta', 'blobs'] as const

/** Whether a database is the editor's. */
export function isEditorStore(tables: Tables): boolean {
  return has(tables, 'cursorDiskKV', 'key', 'value')
}

/** Whether a database is a chat of the CLI. */
export function isChatStore(tables: Tables): boolean {
  return has(tables, 'blobs', 'id', 'data') && has(tables, 'meta', 'key', 'value')
}

function has(tables: Tables, table: string, ...columns: string[]): boolean {
  const found = Object.hasOwn(tables, table) ? (tables[table] ?? []) : []
  return columns.every((column) => found.includes(column))
}

/** The rows with metadata of all conversations, then the messages of the one asked for, or of all. */
export function cursorRanges(sessionId?: string): readonly RowRange[] {
  return [
    rowsFrom('composerHeaders', 'composerId', ''),
    rowsFrom('meta', 'key', ''),
    keysFrom('composerData:'),
    keysFrom(sessionId === undefined ? 'bubbleId:' : messagesOf(sessionId)),
    rowsFrom('blobs', 'id', ''),
  ]
}

/** Beginning of the keys of a conversation's messages in the editor's database. */
export function messagesOf(composer: string): string {
  return `bubbleId:${composer}:`
}

/** All keys of the editor's database that begin with a text. */
export function keysFrom(start: string): RowRange {
  return rowsFrom('cursorDiskKV', 'key', start)
}

/** One key of the editor's database. */
export function key(name: string): RowRange {
  return { table: 'cursorDiskKV', column: 'key', from: name, below: `${name}\0` }
}

function rowsFrom(table: string, column: string, start: string): RowRange {
  return { table, column, from: start, below: `${start}\u{10ffff}` }
}
