import type { Reader } from '../reader/reader.ts'
import { documentUnlessLines } from '../shared/framing.ts'
import { detectGemini } from './detect.ts'
import { companionsOf, recordingsInFolder, subagentRecordings } from './files.ts'

/**
 * Reads the chat recordings of Gemini CLI, `~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`, with those of
 * its subagents, and files that `/chat save` writes.
 * https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingTypes.ts
 */
export const geminiCliReader: Reader = {
  name: 'gemini-cli',
  // Recordings up to April 2026 are documents, later ones lines.
  framing: documentUnlessLines,
  detect: detectGemini,
  logsInFolder: recordingsInFolder,
  sessionFiles: subagentRecordings,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readGeminiCli(records, out),
}
