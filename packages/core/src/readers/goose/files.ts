import { join } from 'node:path'
import { namesIn, startOfFile } from '../shared/folder-files.ts'

/** The database in Goose's folder `sessions`; without it the older logs there, oldest first by name. */
export async function gooseSessionsInFolder(folder: string): Promise<readonly string[]> {
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
