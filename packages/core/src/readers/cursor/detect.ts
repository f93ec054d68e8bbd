import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { Framing, LogHead } from '../reader/reader.ts'
import { hasColumn } from '../shared/framing.ts'

/** Turns of `Run.conversation()`: a list, or a run that holds one. */
export function turnsOf(value: unknown): readonly unknown[] | undefined {
  const record = asObject(value)
  const list = Array.isArray(value) ? value : (record?.conversation ?? record?.turns)
  if (!Array.isArray(list) || list.length === 0) return undefined
  return list.slice(0, 20).some(isTurn) ? list : undefined
}

export function isTurn(value: unknown): boolean {
  const record = asObject(value)
  const type = asText(record?.type) ?? ''
  return type.endsWith('ConversationTurn') && asObject(record?.turn) !== undefined
}

/**
 * Whether a record is a line of an agent transcript: a role and a message, without the fields that other agents add.
 */
export function isTranscriptLine(record: JsonObject): boolean {
  const { role } = record
  const content = asObject(record.message)?.content
  const bare = Object.keys(record).every((key) => key === 'role' || key === 'message' || key === 'timestamp')
  return (
    (role === 'user' || role === 'assistant') &&
    bare &&
    (Array.isArray(content) || typeof content === 'string')
  )
}

/** Scores turns of the SDK, the databases of editor and CLI, and transcripts as lines of JSON or as text. */
export function detectCursor({ document, records, tables, text }: LogHead): number {
  if (tables !== undefined) return scoreTables((table, column) => hasColumn(tables, table, column))
  if (turnsOf(document) !== undefined || isTurn(document)) return 1
  if (document !== undefined && !isTranscriptLine(asObject(document) ?? {})) return 0
  const objects = records.map(asObject).filter((record) => record !== undefined)
  if (objects.length > 0 && objects.every(isTurn)) return 1
  const lines = objects.filter((record) => isTranscriptLine(record) && hasPlainMessage(record))
  if (lines.length > 0 && lines.length * 2 > objects.length)
    return text.includes('<user_query>') ? 0.95 : 0.85
  return records.length === 0 ? scoreText(text) : 0
}

/** The editor's database, or a chat of the CLI. */
function scoreTables(has: (table: string, column: string) => boolean): number {
  if (has('cursorDiskKV', 'key') && has('cursorDiskKV', 'value')) return 1
  return has('blobs', 'id') && has('blobs', 'data') && has('meta', 'key') && has('meta', 'value') ? 0.9 : 0
}

/** Answers of the Anthropic API have an id, a model and usage; transcripts have only the content. */
function hasPlainMessage(record: JsonObject): boolean {
  const message = asObject(record.message) ?? {}
  const blocks = asList(message.content)
  return (
    Object.keys(message).every((key) => key === 'content') &&
    blocks.every((block) => asObject(block) !== undefined)
  )
}

function scoreText(text: string): number {
  const lines = text.trimStart().split(/\r?\n/, 2000)
  if (lines[0] !== 'user:') return 0
  const marked = lines.some((line) => /^\[(?:Thinking\]|Tool call\] \S|Tool result\] \S)/.test(line))
  if (marked || lines.includes('<user_query>')) return lines.includes('assistant:') ? 0.95 : 0.8
  return lines.includes('assistant:') ? 0.6 : 0
}

/** Turns are a document or one per line, transcripts are lines of JSON or of text. */
export function cursorFraming({ document, records, tables, text }: LogHead): Framing {
  if (tables !== undefined) return 'rows'
  if (document !== undefined) return 'document'
  if (records.length > 0) return 'lines'
  return /^\s*[[{]/.test(text) ? 'document' : 'text'
}
