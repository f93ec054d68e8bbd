import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, filesThatBegin } from '../shared/folder-files.ts'
import { hasColumn, rowsOrDocument } from '../shared/framing.ts'
import { isGooseMessage, isGooseSession } from './shapes.ts'

/**
 * Reads Goose: `sessions.db` of `~/.local/share/goose/sessions`, the older `*.jsonl` there, `goose session export
 * --format json`, and the output of `goose run --output-format stream-json`. https://block.github.io/goose/docs
 */
export const gooseReader: Reader = {
  name: 'goose',
  // Exports are documents, legacy logs lines, and `sessions.db` a database.
  framing: rowsOrDocument,
  tables: ['sessions', 'messages'],
  detect({ document, records, tables }) {
    if (tables !== undefined) {
      const isStore = hasColumn(tables, 'sessions', 'working_dir')
      return isStore && hasColumn(tables, 'messages', 'content_json') ? 1 : 0
    }
    if (isGooseSession(json.fields(document))) return 0.95
    return Math.max(0, ...records.slice(0, 10).map((record) => scoreOf(json.fields(record))))
  },
  // The database in Goose's folder `sessions`; without it the older logs there, oldest first by name.
  async logsInFolder(folder) {
    const database = await filesAt(folder, 'sessions.db')
    if (database.length > 0) return database
    return await filesThatBegin(await filesAt(folder, /^\d{8}_\d{6}\.jsonl$/), /"working_dir"|"created"/)
  },
  sessions: async (records) => (await import('./read.ts')).listGooseSessions(records),
  read: async (records, out) => (await import('./read.ts')).readGoose(records, out),
}

const ownContents =
  /^(?:toolRequest|toolResponse|toolConfirmationRequest|frontendToolRequest|redactedThinking|systemNotification|conversationCompacted|actionRequired)$/

function scoreOf(record: json.Fields): number {
  if (isGooseSession(record)) return 0.95
  const message = (record.type === 'message' ? json.object(record.message) : undefined) ?? record
  if (!isGooseMessage(message)) return 0
  const types = json.objects(message.content).map(({ type }) => json.text(type) ?? '')
  if (types.some((type) => ownContents.test(type))) return 0.95
  return !types.includes('') && !('timestamp' in record) ? 0.75 : 0.4
}
