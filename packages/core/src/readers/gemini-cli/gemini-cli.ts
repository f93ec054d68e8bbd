import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesNamed, packedNamed } from '../shared/folder-files.ts'
import { documentUnlessLines } from '../shared/framing.ts'
import { detectGemini } from './detect.ts'

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

/** Recordings of subagents: `chats/<session id>/*.jsonl` next to `chats/session-*.jsonl`. */
async function subagentRecordings(path: string, { document, records }: LogHead): Promise<readonly string[]> {
  const id = asText(asObject(document ?? records[0])?.sessionId)
  if (id === undefined || !/^[\w-]{1,128}$/.test(id)) return []
  return await packedNamed(join(dirname(path), id), /\.jsonl?$/)
}

/** Gemini CLI's other files about a project, next to the folder `chats`. */
function companionsOf(path: string): readonly string[] {
  const chats = dirname(path)
  if (basename(chats) !== 'chats') return []
  return ['logs.json', '.project_root', 'shell_history'].map((name) => join(dirname(chats), name))
}

/** The recordings in a folder `chats`, oldest first, since their names begin with the time. */
async function recordingsInFolder(folder: string): Promise<readonly string[]> {
  const name = /^session-\d{4}-\d\d-\d\dT[\w-]{1,80}\.jsonl?$/
  const own = await filesNamed(folder, name)
  return own.length > 0 ? own : await filesNamed(join(folder, 'chats'), name)
}
