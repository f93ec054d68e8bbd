import * as json from '../../session/json.ts'
import type { RowRange } from '../reader/reader.ts'

export function keysFrom(start: string): RowRange {
  return rowsFrom('cursorDiskKV', 'key', start)
}

export function rowsFrom(table: string, column: string, start: string): RowRange {
  return { table, column, from: start, below: `${start}\u{10ffff}` }
}

export function turnsOf(value: unknown): readonly unknown[] | undefined {
  const { conversation, turns } = json.fields(value)
  const list = Array.isArray(value) ? value : (conversation ?? turns)
  if (Array.isArray(list) && list.slice(0, 20).some(isTurn)) return list
  return isTurn(value) ? [value] : undefined
}

export function isTurn(value: unknown): boolean {
  const { turn, type } = json.fields(value)
  return typeof type === 'string' && type.endsWith('ConversationTurn') && json.object(turn) !== undefined
}

export function isTranscriptLine(record: json.Fields): boolean {
  const content = json.at(record.message, 'content')
  const isSpoken = record.role === 'user' || record.role === 'assistant'
  const isBare = Object.keys(record).every((key) => /^(?:role|message|timestamp)$/.test(key))
  return isSpoken && isBare && (Array.isArray(content) || typeof content === 'string')
}
