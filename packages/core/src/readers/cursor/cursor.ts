import { basename, dirname, join } from 'node:path'
import { unpackedName } from '../log/log-file.ts'
import type { Reader, RowRange } from '../reader/reader.ts'
import { filesNamed, filesThatBegin, namesIn, packedNamed } from '../shared/folder-files.ts'
import { cursorFraming, detectCursor } from './detect.ts'
import { keysFrom, messagesOf, rowsFrom } from './rows.ts'

/**
 * Reads Cursor: the editor's database `User/globalStorage/state.vscdb`, the CLI's `~/.cursor/chats/<folder>/<id>/store.db`, the
 * transcripts of both, `~/.cursor/projects/<folder>/agent-transcripts/<id>/<id>.jsonl` or `.txt`, and the turns that
 * `Run.conversation()` of its SDK returns. https://cursor.com/docs/sdk/typescript
 */
export const cursorReader: Reader = {
  name: 'cursor',
  framing: cursorFraming,
  // Those of the editor's `state.vscdb`, whose `ItemTable` holds access tokens and is never read, and of `store.db`.
  tables: ['cursorDiskKV', 'composerHeaders', 'meta', 'blobs'],
  rowRanges,
  detect: detectCursor,
  logsInFolder: transcriptsInFolder,
  sessionFiles: subagentTranscripts,
  companions: companionsOf,
  sessions: async (records) => (await import('./read.ts')).listCursorSessions(records),
  read: async (records, out) => (await import('./read.ts')).readCursor(records, out),
}

/** The rows with metadata of all conversations, then the messages of the one asked for, or of all. */
function rowRanges(sessionId?: string): readonly RowRange[] {
  return [
    rowsFrom('composerHeaders', 'composerId', ''),
    rowsFrom('meta', 'key', ''),
    keysFrom('composerData:'),
    keysFrom(sessionId === undefined ? 'bubbleId:' : messagesOf(sessionId)),
    rowsFrom('blobs', 'id', ''),
  ]
}

/** Transcripts of subagents: `subagents/*.jsonl` next to the transcript. */
async function subagentTranscripts(path: string): Promise<readonly string[]> {
  if (!/\.(?:jsonl|txt)$/.test(unpackedName(path)) || basename(dirname(path)) === 'subagents') return []
  return await packedNamed(join(dirname(path), 'subagents'), /\.jsonl$/)
}

/** The folder of a transcript that has its own, or the settings beside the editor's database. */
function companionsOf(path: string): readonly string[] {
  const folder = dirname(path)
  if (basename(path) === 'state.vscdb') return [`${path}.options.json`, join(folder, 'storage.json')]
  return basename(path).replace(/\.(?:jsonl|txt)$/, '') === basename(folder) ? [folder] : []
}

/** The transcripts in a folder `agent-transcripts`: `<id>.jsonl`, `<id>.txt`, or each in its own folder. */
async function transcriptsInFolder(folder: string): Promise<readonly string[]> {
  const name = /^[\da-f]{8}-[\da-f-]{20,40}(?:\.(?:jsonl|txt)|$)/
  const candidates = [...(await filesNamed(folder, name))]
  for (const inner of (await namesIn(folder)).folders) {
    const own = (file: string): boolean => file === `${inner}.jsonl` || file === `${inner}.txt`
    const file = name.test(inner) ? (await namesIn(join(folder, inner))).files.find(own) : undefined
    if (file !== undefined) candidates.push(join(folder, inner, file))
  }
  const start = /^\s*(?:\{"role":\s*"(?:user|assistant)",\s*"message":|user:\r?\n)/
  return await filesThatBegin(candidates, start)
}
