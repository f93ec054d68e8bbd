import { basename, dirname, join } from 'node:path'
import { unpackedName } from '../log/packed-name.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { namesIn, packedFilesIn, startOfFile } from '../shared/folder-files.ts'
import { detectDroid, isSettings } from './detect.ts'

/**
 * Reads sessions of Factory's Droid, `~/.factory/sessions/<project>/<id>.jsonl`, with the model and the usage from
 * `<id>.settings.json` next to them.
 */
export const factoryDroidReader: Reader = {
  name: 'factory-droid',
  framing: ({ document }: LogHead) => (isSettings(document) ? 'document' : 'lines'),
  detect: detectDroid,
  logsInFolder: droidLogs,
  sessionFiles: settingsFile,
  read: async (records, out) => (await import('./read.ts')).readDroid(records, out),
}

/** Logs in a project folder below `~/.factory/sessions`, in that folder itself, or in `~/.factory`. */
async function droidLogs(folder: string): Promise<readonly string[]> {
  const { folders } = await namesIn(folder)
  if (basename(folder) === '.factory' && folders.includes('sessions'))
    return await droidLogs(join(folder, 'sessions'))
  const inner = basename(folder) === 'sessions' ? folders.map((name) => join(folder, name)) : []
  const found: string[] = []
  for (const place of [folder, ...inner]) {
    for (const name of (await namesIn(place)).files) {
      if (!name.endsWith('.jsonl')) continue
      const path = join(place, name)
      if (/^\uFEFF?\s*\{"type":\s*"session_start"/.test(await startOfFile(path, 200))) found.push(path)
    }
  }
  return found
}

/** Settings and sums of a session, `<id>.settings.json`. */
async function settingsFile(path: string): Promise<readonly string[]> {
  const log = unpackedName(basename(path))
  if (!log.endsWith('.jsonl')) return []
  const file = (await packedFilesIn(dirname(path))).get(`${basename(log, '.jsonl')}.settings.json`)
  return file !== undefined && (await startOfFile(file, 64)).trim() !== '' ? [file] : []
}
