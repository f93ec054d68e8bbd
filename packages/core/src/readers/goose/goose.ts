import type { Reader } from '../reader/reader.ts'
import { rowsOrDocument } from '../shared/framing.ts'
import { detectGoose, gooseTables } from './detect.ts'
import { gooseSessionsInFolder } from './files.ts'

/**
 * Reads Goose: `sessions.db` of `~/.local/share/goose/sessions`, the older `*.jsonl` there, `goose session export
 * --format json`, and the lines that `goose run --output-format stream-json` prints. https://block.github.io/goose/docs
 */
export const gooseReader: Reader = {
  name: 'goose',
  // Exports are documents, legacy logs lines, and `sessions.db` a database.
  framing: rowsOrDocument,
  tables: gooseTables,
  detect: detectGoose,
  logsInFolder: gooseSessionsInFolder,
  sessions: async (records) => (await import('./read.ts')).listGooseSessions(records),
  read: async (records, out) => (await import('./read.ts')).readGoose(records, out),
}
