import { asList, asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesNamed } from '../shared/folder-files.ts'
import { hasColumn, rowsOrDocument } from '../shared/framing.ts'
import { isGooseMessage, isGooseSession } from './shapes.ts'

/**
 * Reads Goose: `sessions.db` of `~/.local/share/goose/sessions`, the older `*.jsonl` there, `goose session export
 * --format json`, and the lines that `goose run --output-format stream-json` prints. https://block.github.io/goose/docs
 */
export const gooseReader: Reader = {
  name: 'goose',
  // Exports are documents, legacy logs lines, and `sessions.db` a database.
  framing: rowsOrDocument,
  tables: ['sessions', 'messages'],
  detect,
  logsInFolder,
  sessions: async (records) => (await import('./read.ts')).listGooseSessions(records),
  read: async (records, out) => (await import('./read.ts')).readGoose(records, out),
}

/** The database in Goose's folder `sessions`; without it the older logs there, oldest first by name. */
async function logsInFolder(folder: string): Promise<readonly string[]> {
  const database = await filesNamed(folder, /^sessions\.db$/)
  if (database.length > 0) return database
  return await filesNamed(folder, /^\d{8}_\d{6}\.jsonl$/, /"working_dir"|"created"/)
}

/** Kinds of content that have these names only in Goose. */
const ownContents = new Set(
  'toolRequest toolResponse toolConfirmationRequest frontendToolRequest redactedThinking systemNotification conversationCompacted actionRequired'.split(
    ' ',
  ),
)

function detect({ document, records, tables }: LogHead): number {
  if (tables !== undefined)
    return hasColumn(tables, 'sessions', 'working_dir') && hasColumn(tables, 'messages', 'content_json')
      ? 1
      : 0
  const whole = asObject(document)
  if (whole !== undefined && isGooseSession(whole)) return 0.95
  return Math.max(0, ...records.slice(0, 10).map(scoreOf))
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
