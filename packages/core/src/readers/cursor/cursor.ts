import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import { unpackedName } from '../log/log-file.ts'
import type { Framing, LogHead, Reader } from '../reader/reader.ts'
import { filesAt, filesThatBegin, namesIn } from '../shared/folder-files.ts'
import { hasColumn } from '../shared/framing.ts'
import { isTranscriptLine, isTurn, keysFrom, rowsFrom, turnsOf } from './shapes.ts'

/**
 * Reads Cursor: the editor's database `User/globalStorage/state.vscdb`, the CLI's `~/.cursor/chats/<folder>/<id>/store.db`, the
 * transcripts of both, `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl` or `.txt`, and the turns that
 * `Run.conversation()` of its SDK returns. https://cursor.com/docs/sdk/typescript
 */
export const cursorReader: Reader = {
  name: 'cursor',
  framing,
  // Tables of the editor's `state.vscdb` and of `store.db`. The former's `ItemTable` has access tokens and is never
  // read.
  tables: ['cursorDiskKV', 'composerHeaders', 'meta', 'blobs'],
  // Metadata of all conversations, then the messages of the requested one, or of all.
  rowRanges: (sessionId) => [
    rowsFrom('composerHeaders', 'composerId', ''),
    rowsFrom('meta', 'key', ''),
    keysFrom('composerData:'),
    keysFrom(sessionId === undefined ? 'bubbleId:' : `bubbleId:${sessionId}:`),
    rowsFrom('blobs', 'id', ''),
  ],
  detect({ document, records, tables, text }) {
    if (tables !== undefined) {
      const has = (table: string, ...columns: string[]): boolean =>
        columns.every((column) => hasColumn(tables, table, column))
      if (has('cursorDiskKV', 'key', 'value')) return 1
      return has('blobs', 'id', 'data') && has('meta', 'key', 'value') ? 0.9 : 0
    }
    if (turnsOf(document) !== undefined) return 1
    if (document !== undefined && !isTranscriptLine(json.fields(document))) return 0
    const objects = json.objects(records)
    if (objects.length > 0 && objects.every(isTurn)) return 1
    // Answers of the Anthropic API have an id, a model and usage; messages of transcripts have only the content.
    const lines = objects.filter((record) => {
      const { content, ...more } = json.fields(record.message)
      const isBare = Object.keys(more).length === 0 && json.list(content).every((block) => json.object(block))
      return isBare && isTranscriptLine(record)
    })
    if (lines.length > 0 && lines.length * 2 > objects.length)
      return text.includes('<user_query>') ? 0.95 : 0.85
    return records.length === 0 ? textScore(text) : 0
  },
  // Transcripts in a folder `agent-transcripts`: `<id>.jsonl`, `<id>.txt`, or each in its own folder.
  async logsInFolder(folder) {
    const candidates = await filesAt(folder, /^[\da-f]{8}-[\da-f-]{20,40}\.(?:jsonl|txt)$/)
    for (const id of (await namesIn(folder)).folders)
      if (/^[\da-f]{8}-[\da-f-]{20,40}$/.test(id))
        candidates.push(...(await filesAt(folder, id, new RegExp(`^${id}\\.(?:jsonl|txt)$`))).slice(0, 1))
    const start = /^\s*(?:\{"role":\s*"(?:user|assistant)",\s*"message":|user:\r?\n)/
    return await filesThatBegin(candidates, start)
  },
  // Transcripts of subagents are next to that of their parent.
  sessionFiles: async (path) =>
    /\.(?:jsonl|txt)$/.test(unpackedName(path)) && basename(dirname(path)) !== 'subagents'
      ? await filesAt(dirname(path), 'subagents', /\.jsonl$/)
      : [],
  // The folder of a transcript, or the settings next to the editor's database.
  companions(path) {
    const folder = dirname(path)
    if (basename(path) === 'state.vscdb') return [`${path}.options.json`, join(folder, 'storage.json')]
    return basename(path).replace(/\.(?:jsonl|txt)$/, '') === basename(folder) ? [folder] : []
  },
  sessions: async (records) => (await import('./read.ts')).listCursorSessions(records),
  read: async (records, out) => (await import('./read.ts')).readCursor(records, out),
}

function textScore(text: string): number {
  const lines = text.trimStart().split(/\r?\n/, 2000)
  if (lines[0] !== 'user:') return 0
  const marked = lines.some((line) => /^\[(?:Thinking\]|Tool call\] \S|Tool result\] \S)/.test(line))
  if (marked || lines.includes('<user_query>')) return lines.includes('assistant:') ? 0.95 : 0.8
  return lines.includes('assistant:') ? 0.6 : 0
}

function framing({ document, records, tables, text }: LogHead): Framing {
  if (tables !== undefined) return 'rows'
  if (document !== undefined) return 'document'
  if (records.length > 0) return 'lines'
  return /^\s*[[{]/.test(text) ? 'document' : 'text'
}
