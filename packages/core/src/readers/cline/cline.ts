import type { Reader } from '../reader/reader.ts'
import { detectCline } from './detect.ts'
import { clineLogs, companionsOf, taskFiles } from './folder.ts'

/**
 * Reads tasks of Cline, Roo Code and Kilo Code: `api_conversation_history.json` (the messages of the API) with
 * `ui_messages.json` (what the interface showed), or either of them; and sessions of the Cline SDK, `*.messages.json`.
 * https://github.com/cline/cline
 */
export const clineReader: Reader = {
  name: 'cline',
  framing: 'document',
  detect: detectCline,
  logsInFolder: clineLogs,
  sessionFiles: taskFiles,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readCline(records, out),
}
