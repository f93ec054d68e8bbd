import type { Reader } from '../reader/reader.ts'
import { rowsOrDocument } from '../shared/framing.ts'
import { detectOpenCode } from './detect.ts'
import { openCodeTables } from './rows.ts'
import { companionsOf, filesOfSession, sessionsInFolder } from './storage-folder.ts'

/**
 * Reads OpenCode: `opencode export`, the database `opencode.db`, the older folder `storage`, and the lines that
 * `opencode run --format json` prints. https://opencode.ai/docs
 */
export const openCodeReader: Reader = {
  name: 'opencode',
  // Exports and the files of the storage folder are documents, `opencode run --format json` prints lines.
  framing: rowsOrDocument,
  tables: openCodeTables,
  detect: detectOpenCode,
  logsInFolder: sessionsInFolder,
  sessionFiles: filesOfSession,
  companions: companionsOf,
  sessions: async (records) => (await import('./read.ts')).listOpenCodeSessions(records),
  read: async (records, out) => (await import('./read.ts')).readOpenCode(records, out),
}
