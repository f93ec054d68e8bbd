import type { Reader } from '../reader/reader.ts'
import { detectOpenCode, openCodeFraming } from './detect.ts'
import { openCodeTables } from './rows.ts'
import { companionsOf, filesOfSession, sessionsInFolder } from './storage-folder.ts'

/**
 * Reads OpenCode: `opencode export`, the database `opencode.db`, the older folder `storage`, and the lines that
 * `opencode run --format json` prints. https://opencode.ai/docs
 */
export const openCodeReader: Reader = {
  name: 'opencode',
  framing: openCodeFraming,
  tables: openCodeTables,
  detect: detectOpenCode,
  logsInFolder: sessionsInFolder,
  sessionFiles: filesOfSession,
  companions: companionsOf,
  sessions: async (records) => (await import('./read.ts')).listOpenCodeSessions(records),
  read: async (records, out) => (await import('./read.ts')).readOpenCode(records, out),
}
