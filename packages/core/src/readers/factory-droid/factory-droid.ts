import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import { unpackedName } from '../log/log-file.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesNamed, namesIn, packedFilesIn, startOfFile } from '../shared/folder-files.ts'
import { isSettings } from './settings.ts'

/**
 * Reads sessions of Factory's Droid, `~/.factory/sessions/<project>/<id>.jsonl`, with the model and the usage from
 * `<id>.settings.json` next to them.
 */
export const factoryDroidReader: Reader = {
  name: 'factory-droid',
  framing: ({ document }) => (isSettings(document) ? 'document' : 'lines'),
  detect,
  logsInFolder,
  sessionFiles: settingsFile,
  read: async (records, out) => (await import('./read.ts')).readDroid(records, out),
}

function detect({ records }: LogHead): number {
  let score = 0
  for (const value of records) {
    const { type, id, message, uuid, ...record } = asObject(value) ?? {}
    // pi writes the same kind of message, in a session with another beginning.
    if (type === 'session') return 0
    if (asText(id) === undefined) continue
    const marks = ['sessionTitle', 'owner', 'version', 'cwd', 'title'].filter((mark) => mark in record)
    if (type === 'session_start' && marks.length >= 2) return 1
    const role = asObject(message)?.role
    if (type === 'message' && uuid === undefined && (role === 'user' || role === 'assistant')) score = 0.55
  }
  return score
}

const firstLine = /^\uFEFF?\s*\{"type":\s*"session_start"/

/** Logs in a project folder below `~/.factory/sessions`, in that folder itself, or in `~/.factory`. */
async function logsInFolder(folder: string): Promise<readonly string[]> {
  const { folders } = await namesIn(folder)
  if (basename(folder) === '.factory' && folders.includes('sessions'))
    return await logsInFolder(join(folder, 'sessions'))
  const inner = basename(folder) === 'sessions' ? folders.map((name) => join(folder, name)) : []
  const found: string[] = []
  for (const place of [folder, ...inner]) found.push(...(await filesNamed(place, /\.jsonl$/, firstLine)))
  return found
}

/** Settings and sums of a session, `<id>.settings.json`. */
async function settingsFile(path: string): Promise<readonly string[]> {
  const log = unpackedName(basename(path))
  if (!log.endsWith('.jsonl')) return []
  const file = (await packedFilesIn(dirname(path))).get(`${basename(log, '.jsonl')}.settings.json`)
  return file !== undefined && (await startOfFile(file, 64)).trim() !== '' ? [file] : []
}
