import type { Reader } from '../reader/reader.ts'
import { detectGoose, gooseFraming, gooseTables } from './detect.ts'
import { gooseSessionsInFolder } from './files.ts'

/**
 * Reads Goose: `sessions.db` of `~/.local/share/goose/sessions`, the older `*.jsonl` there, `goose session export
 * --format json`, and the lines that `goose run --output-format stream-json` prints. https://block.github.io/goose/docs
 */
export const gooseReader: Reader = {
  name: 'goose',
  framing: gooseFraming,
  tables: gooseTables,
  detect: detectGoose,
  logsInFolder: gooseSessionsInFolder,
  sessions: async (records) => (await import('./read.ts')).listGooseSessions(records),
  read: async (records, out) => (await import('./read.ts')).readGoose(records, out),
}
