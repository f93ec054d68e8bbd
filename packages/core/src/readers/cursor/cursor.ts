import type { Reader } from '../reader/reader.ts'
import { cursorFraming, detectCursor } from './detect.ts'
import { companionsOf, subagentTranscripts, transcriptsInFolder } from './files.ts'

/**
 * Reads Cursor: the turns that `Run.conversation()` of its SDK returns, and the agent transcripts of the editor,
 * `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl` or `.txt`. https://cursor.com/docs/sdk/typescript
 */
export const cursorReader: Reader = {
  name: 'cursor',
  framing: cursorFraming,
  detect: detectCursor,
  logsInFolder: transcriptsInFolder,
  sessionFiles: subagentTranscripts,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readCursor(records, out),
}
