import type { Reader } from '../reader/reader.ts'
import { cursorFraming, detectCursor } from './detect.ts'
import { companionsOf, subagentTranscripts, transcriptsInFolder } from './files.ts'
import { cursorRanges, cursorTables } from './tables.ts'

/**
 * Reads Cursor: the editor's database `User/globalStorage/state.vscdb`, the CLI's `~/.cursor/chats/<folder>/<id>/store.db`, the
 * transcripts of both, `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl` or `.txt`, and the turns that
 * `Run.conversation()` of its SDK returns. https://cursor.com/docs/sdk/typescript
 */
export const cursorReader: Reader = {
  name: 'cursor',
  framing: cursorFraming,
  tables: cursorTables,
  rowRanges: cursorRanges,
  detect: detectCursor,
  logsInFolder: transcriptsInFolder,
  sessionFiles: subagentTranscripts,
  companions: companionsOf,
  sessions: async (records) => (await import('./list-sessions.ts')).listCursorSessions(records),
  read: async (records, out) => (await import('./read.ts')).readCursor(records, out),
}
