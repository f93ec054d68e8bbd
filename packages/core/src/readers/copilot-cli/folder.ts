import { basename, dirname, join } from 'node:path'
import { filesOfFolders, namesIn, startOfFile } from '../shared/folder-files.ts'

const log = 'events.jsonl'

/**
 * Logs in a folder: `session-state/<id>` itself; `session-state`, which for older versions holds files `<id>.jsonl`;
 * or the home of Copilot CLI, `~/.copilot`.
 */
export async function copilotLogs(folder: string): Promise<readonly string[]> {
  const { files, folders } = await namesIn(folder)
  const candidates = files.includes(log)
    ? [join(folder, log)]
    : folders.includes('session-state')
      ? await storedLogs(join(folder, 'session-state'))
      : await storedLogs(folder)
  const found: string[] = []
  for (const path of candidates) if (isLogStart(await startOfFile(path))) found.push(path)
  return found
}

/** The folder of a session, with its plan, checkpoints and snapshots. */
export function companionsOf(path: string): readonly string[] {
  if (basename(path) === log) return isId(basename(dirname(path))) ? [dirname(path)] : []
  const id = basename(path, '.jsonl')
  return isId(id) ? [join(dirname(path), id)] : []
}

function isId(name: string): boolean {
  return /^[\da-f-]{36}$/.test(name)
}

async function storedLogs(folder: string): Promise<string[]> {
  const { files } = await namesIn(folder)
  const flat = files.filter((name) => /^[\da-f-]{36}\.jsonl$/.test(name)).map((name) => join(folder, name))
  return [...flat, ...(await filesOfFolders(folder, log))]
}

function isLogStart(text: string): boolean {
  return /^\uFEFF?\s*\{"type":\s*"session\.start"/.test(text) && text.includes('"copilotVersion"')
}
