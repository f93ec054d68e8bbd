import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt } from '../shared/folder-files.ts'
import { documentUnlessLines } from '../shared/framing.ts'
import { contentsOf, isHeader } from './shapes.ts'

const recording = /^session-\d{4}-\d\d-\d\dT[\w-]{1,80}\.jsonl?$/

/**
 * Reads the chat recordings of Gemini CLI, `~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`, with those of
 * its subagents, and files of `/chat save`.
 * https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingTypes.ts
 */
export const geminiCliReader: Reader = {
  name: 'gemini-cli',
  // Recordings up to April 2026 are documents, later ones lines.
  framing: documentUnlessLines,
  detect({ document, records }) {
    const whole = json.fields(document)
    if (isHeader(whole) && Array.isArray(whole.messages)) return whole.messages.every(isOwn) ? 1 : 0.7
    if (contentsOf(document) !== undefined) return 0.85
    if (isHeader(json.fields(records[0]))) return 0.95
    // The beginning was cut off.
    const isUpdate = ({ $set, $rewindTo }: json.Fields): boolean =>
      (json.object($set) ?? json.text($rewindTo)) !== undefined
    const others = records.filter((value) => !isUpdate(json.fields(value)))
    return others.length < records.length && others.every(isOwn) ? 0.8 : 0
  },
  // Oldest first, since names begin with the time.
  async logsInFolder(folder) {
    const own = await filesAt(folder, recording)
    return own.length > 0 ? own : await filesAt(folder, 'chats', recording)
  },
  // Recordings of subagents: `chats/<session id>/*.jsonl`.
  async sessionFiles(path, { document, records }) {
    const id = json.text(document ?? records[0], 'sessionId') ?? ''
    return /^[\w-]{1,128}$/.test(id) ? await filesAt(dirname(path), id, /\.jsonl?$/) : []
  },
  // Gemini CLI's other files about a project, next to the folder `chats`.
  companions(path) {
    const chats = dirname(path)
    const names = basename(chats) === 'chats' ? ['logs.json', '.project_root', 'shell_history'] : []
    return names.map((name) => join(dirname(chats), name))
  },
  read: async (records, out) => (await import('./read.ts')).readGeminiCli(records, out),
}

function isOwn(value: unknown): boolean {
  const message = json.object(value)
  return message !== undefined && ('type' in message || isHeader(message))
}
