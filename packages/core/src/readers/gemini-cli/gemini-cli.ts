import { basename, dirname, join } from 'node:path'
import { asObject, asText, fieldsOf, type JsonObject, textAt } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesAt, firstFilesAt } from '../shared/folder-files.ts'
import { documentUnlessLines } from '../shared/framing.ts'
import { contentsOf, isHeader } from './shapes.ts'

const recording = /^session-\d{4}-\d\d-\d\dT[\w-]{1,80}\.jsonl?$/

/**
 * Reads the chat recordings of Gemini CLI, `~/.gemini/tmp/<project>/chats/session-*.json` and `.jsonl`, with those of
 * its subagents, and files that `/chat save` writes.
 * https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/services/chatRecordingTypes.ts
 */
export const geminiCliReader: Reader = {
  name: 'gemini-cli',
  // Recordings up to April 2026 are documents, later ones lines.
  framing: documentUnlessLines,
  detect,
  // Oldest first, since their names begin with the time.
  logsInFolder: (folder) => firstFilesAt(folder, [recording], ['chats', recording]),
  // Recordings of subagents: `chats/<session id>/*.jsonl`.
  async sessionFiles(path, { document, records }) {
    const id = textAt(document ?? records[0], 'sessionId') ?? ''
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

function detect({ document, records }: LogHead): number {
  const whole = fieldsOf(document)
  if (isHeader(whole) && Array.isArray(whole.messages)) return whole.messages.every(isOwn) ? 1 : 0.7
  if (contentsOf(document) !== undefined) return 0.85
  if (isHeader(fieldsOf(records[0]))) return 0.95
  // The head was cut off.
  const others = records.filter((value) => !isUpdate(fieldsOf(value)))
  return others.length < records.length && others.every(isOwn) ? 0.8 : 0
}

function isUpdate({ $set, $rewindTo }: JsonObject): boolean {
  return asObject($set) !== undefined || asText($rewindTo) !== undefined
}

function isOwn(value: unknown): boolean {
  const message = asObject(value)
  return message !== undefined && ('type' in message || isHeader(message))
}
