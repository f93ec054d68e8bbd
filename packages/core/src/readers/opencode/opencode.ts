import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import { unpackedName } from '../log/log-file.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, packedFilesIn, startOfFile } from '../shared/folder-files.ts'
import { hasColumn, rowsOrDocument } from '../shared/framing.ts'
import { hasStart, kindOf } from './shapes.ts'

/**
 * Reads OpenCode: `opencode export`, the database `opencode.db`, the older folder `storage`, and the output of
 * `opencode run --format json`. https://opencode.ai/docs
 */
export const openCodeReader: Reader = {
  name: 'opencode',
  // Exports and files of the storage folder are documents; `opencode run --format json` prints lines.
  framing: rowsOrDocument,
  // Other tables hold access tokens (`account`, `control_account`) and are never read.
  tables: ['project', 'session', 'message', 'part', 'todo'],
  detect({ document, records, tables }) {
    const has = (table: string, column: string): boolean => hasColumn(tables ?? {}, table, column)
    if (tables !== undefined)
      return has('session', 'directory') && has('message', 'data') && has('part', 'message_id') ? 1 : 0
    if (document !== undefined) return scoreOf(document)
    return Math.max(0, ...records.slice(0, 10).map(scoreOf))
  },
  // Sessions of `storage`, which is `folder` or in it, that no other session started; otherwise the database.
  async logsInFolder(folder) {
    for (const storage of [folder, join(folder, 'storage')]) {
      const roots = (await infosIn(storage)).filter(({ info }) => json.text(info.parentID) === undefined)
      if (roots.length > 0) return roots.map(({ path }) => path)
    }
    return await filesAt(folder, 'opencode.db')
  },
  // Messages and parts of the older store, those of child sessions, and exports of children next to one.
  async sessionFiles(path, { document }) {
    const kind = kindOf(document)
    if (kind === 'export') return await exportsOfChildren(path, json.at(document, 'messages'))
    if (kind !== 'session') return []
    const storage = dirname(dirname(dirname(path)))
    const infos = await infosIn(storage)
    const files: string[] = []
    const wanted = [json.text(document, 'id') ?? '']
    for (const id of wanted) {
      if (!idPattern.test(id)) continue
      for (const message of await filesAt(storage, 'message', id, /^(?:ses|msg)_[A-Za-z0-9]{1,64}\.json$/)) {
        const parts = await filesAt(storage, 'part', basename(unpackedName(message), '.json'), /\.json$/)
        files.push(message, ...parts)
      }
      for (const child of infos) {
        const childId = json.text(child.info.id)
        if (json.text(child.info.parentID) !== id || childId === undefined || wanted.includes(childId))
          continue
        files.push(child.path)
        wanted.push(childId)
      }
    }
    return files
  },
  // The older store's other folders with data about a session and its project.
  companions(path) {
    const project = dirname(path)
    const storage = dirname(dirname(project))
    if (basename(dirname(project)) !== 'session') return []
    const files = ['session_diff', 'session_share', 'todo'].map((name) => join(storage, name, basename(path)))
    return [...files, join(storage, 'project', `${basename(project)}.json`)]
  },
  sessions: async (records) => (await import('./read.ts')).listOpenCodeSessions(records),
  read: async (records, out) => (await import('./read.ts')).readOpenCode(records, out),
}

const idPattern = /^(?:ses|msg)_[A-Za-z0-9]{1,64}$/
const maxBytes = 64 * 1024 * 1024

/** Returns the sessions of the older store, oldest first. Faults of files are reported when a log is read. */
async function infosIn(storage: string): Promise<{ path: string; info: json.Fields }[]> {
  const found: { path: string; info: json.Fields }[] = []
  for (const path of await filesAt(storage, 'session', /./, /^ses_.*\.json$/)) {
    const info = json.fields(json.parse(await startOfFile(path, maxBytes)))
    if (kindOf(info) === 'session') found.push({ path, info })
  }
  const createdOf = (info: json.Fields): number => json.number(info.time, 'created') ?? 0
  return found.sort((a, b) => createdOf(a.info) - createdOf(b.info))
}

async function exportsOfChildren(path: string, messages: unknown): Promise<string[]> {
  const parts = json.list(messages).flatMap((message) => json.list(message, 'parts'))
  const named = new Set(parts.map((part) => json.text(part, 'state', 'metadata', 'sessionId') ?? ''))
  const names = [...named].filter((id) => idPattern.test(id)).map((id) => `${id}.json`)
  if (names.length === 0) return []
  const files = await packedFilesIn(dirname(path))
  const own = unpackedName(basename(path))
  return names.flatMap((name) => (name === own ? [] : (files.get(name) ?? [])))
}

function scoreOf(value: unknown): number {
  const kind = kindOf(value)
  if (kind === undefined) return 0
  if (kind !== 'export') return kind === 'line' || kind === 'session' ? 0.95 : 0.8
  const { info, messages } = json.fields(value)
  const { directory, id, sessionID } = json.fields(info)
  if (hasStart(id, 'ses_') && Array.isArray(messages)) return 1
  if (hasStart(id, 'msg_') || hasStart(sessionID, 'ses_')) return 0.9
  // Redaction may have removed the ids.
  const message = json.fields(json.list(messages)[0])
  const isShaped = json.object(message.info) !== undefined && Array.isArray(message.parts)
  return isShaped && json.text(directory) !== undefined ? 0.9 : 0.3
}
