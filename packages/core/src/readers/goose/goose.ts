import { join } from 'node:path'
import type { Reader } from '../reader/reader.ts'
import { namesIn, startOfFile } from '../shared/folder-files.ts'
import { rowsOrDocument } from '../shared/framing.ts'
import { detectGoose, gooseTables } from './detect.ts'

/**
 * Reads Goose: `sessions.db` of `~/.local/share/goose/sessions`, the older `*.jsonl` there, `goose session export
 * --format json`, and the lines that `goose run --output-format stream-json` prints. https://block.github.io/goose/docs
 */
export const gooseReader: Reader = {
  name: 'goose',
  // Exports are documents, legacy logs lines, and `sessions.db` a database.
  framing: rowsOrDocument,
  tables: gooseTables,
  detect: detectGoose,
  logsInFolder: gooseSessionsInFolder,
  sessions: async (records) => (await import('./read.ts')).listGooseSessions(records),
  read: async (records, out) => (await import('./read.ts')).readGoose(records, out),
}

/** The database in Goose's folder `sessions`; without it the older logs there, oldest first by name. */
async function gooseSessionsInFolder(folder: string): Promise<readonly string[]> {
  const { files } = await namesIn(folder)
  if (files.includes('sessions.db')) return [join(folder, 'sessions.db')]
  const found: string[] = []
  for (const name of files) {
    if (!/^\d{8}_\d{6}\.jsonl$/.test(name)) continue
    const start = await startOfFile(join(folder, name), 4096)
    if (start.includes('"working_dir"') || start.includes('"created"')) found.push(join(folder, name))
  }
  return found
}
