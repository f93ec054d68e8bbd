import type { Reader } from '../reader/reader.ts'
import { cursorFraming, detectCursor } from './detect.ts'
import { editorRanges, editorTables } from './editor/rows.ts'
import { companionsOf, subagentTranscripts, transcriptsInFolder } from './files.ts'

/**
 * Reads Cursor: the editor's database `User/globalStorage/state.vscdb`, its agent transcripts,
 * `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl` or `.txt`, and the turns that `Run.conversation()` of
 * its SDK returns. https://cursor.com/docs/sdk/typescript
 */
export const cursorReader: Reader = {
  name: 'cursor',
  framing: cursorFraming,
  tables: editorTables,
  rowRanges: editorRanges,
  detect: detectCursor,
  logsInFolder: transcriptsInFolder,
  sessionFiles: subagentTranscripts,
  companions: companionsOf,
  sessions: async (records) => (await import('./editor/read-editor.ts')).listEditorSessions(records),
  read: async (records, out) => (await import('./read.ts')).readCursor(records, out),
}
