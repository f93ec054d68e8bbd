import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'
import { hasColumn } from '../shared/framing.ts'

/** The tables of `sessions.db` that hold sessions. */
export const gooseTables = ['sessions', 'messages'] as const

/** Kinds of content that have these names only in Goose. */
const ownContents = new Set([
  'toolRequest',
  'toolResponse',
  'toolConfirmationRequest',
  'frontendToolRequest',
  'redactedThinking',
  'systemNotification',
  'conversationCompacted',
  'actionRequired',
])

/** Metadata of a session: the first line of a legacy log, or an export. */
export function isGooseSession(record: JsonObject): boolean {
  const counted = 'message_count' in record || 'extension_data' in record || 'conversation' in record
  return asText(record.working_dir) !== undefined && counted
}

/** A message: `created` in seconds and a list of contents. */
export function isGooseMessage({ role, created, content }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && typeof created === 'number' && Array.isArray(content)
}

/** Scores the beginning of a log from any of Goose's stores. */
export function detectGoose({ document, records, tables }: LogHead): number {
  if (tables !== undefined) return isStore(tables) ? 1 : 0
  const whole = asObject(document)
  if (whole !== undefined && isGooseSession(whole)) return 0.95
  return Math.max(0, ...records.slice(0, 10).map(scoreOf))
}

function isStore(tables: NonNullable<LogHead['tables']>): boolean {
  return hasColumn(tables, 'sessions', 'working_dir') && hasColumn(tables, 'messages', 'content_json')
}

function scoreOf(value: unknown): number {
  const record = asObject(value)
  if (record === undefined) return 0
  if (isGooseSession(record)) return 0.95
  const streamed = record.type === 'message' ? asObject(record.message) : undefined
  const message = streamed ?? record
  if (!isGooseMessage(message)) return 0
  const own = asList(message.content).some((part) => ownContents.has(asText(asObject(part)?.type) ?? ''))
  if (own) return 0.95
  const typed = asList(message.content).every((part) => asText(asObject(part)?.type) !== undefined)
  return typed && !('timestamp' in record) ? 0.75 : 0.4
}
