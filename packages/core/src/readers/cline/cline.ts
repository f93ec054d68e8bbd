import { basename, dirname, join } from 'node:path'
import { unpackedName } from '../log/log-file.ts'
import type { Reader } from '../reader/reader.ts'
import { namesIn, packedFilesIn, startOfFile } from '../shared/folder-files.ts'
import { detectCline } from './documents.ts'

/**
 * Reads tasks of Cline, Roo Code and Kilo Code: `api_conversation_history.json` (the messages of the API) with
 * `ui_messages.json` (what the interface showed), or either of them; and sessions of the Cline SDK, `*.messages.json`.
 * https://github.com/cline/cline
 */
export const clineReader: Reader = {
  name: 'cline',
  framing: 'document',
  detect: detectCline,
  logsInFolder,
  sessionFiles,
  companions,
  read: async (records, out) => (await import('./read.ts')).readCline(records, out),
}

const histories = ['api_conversation_history.json', 'claude_messages.json']
const ui = 'ui_messages.json'
const metadata = 'task_metadata.json'
const sdkEnd = '.messages.json'
const compactionEnd = '.compaction.json'

/**
 * Tasks in a folder: a task of the extension (Cline, Roo, Kilo), `tasks` or the storage of the extension with all of
 * them, or a session folder of the Cline SDK.
 */
async function logsInFolder(folder: string): Promise<readonly string[]> {
  const { files, folders } = await namesIn(folder)
  const own = mainFiles(files)
  if (own.length > 0) return own.map((name) => join(folder, name))
  const store = folders.includes('tasks') && basename(folder) !== 'tasks' ? join(folder, 'tasks') : folder
  const logs: string[] = []
  for (const inner of (await namesIn(store)).folders) {
    const names = (await namesIn(join(store, inner))).files
    logs.push(...mainFiles(names).map((name) => join(store, inner, name)))
  }
  return logs
}

/** The folder of a task or a session, and the description of an SDK session. */
function companions(path: string): readonly string[] {
  const folder = dirname(path)
  const name = basename(path)
  const session = name.endsWith(sdkEnd) ? name.slice(0, -sdkEnd.length) : undefined
  // Tasks are named by the time in milliseconds or by a UUID; a log may also be alone among other files.
  const isOwn =
    session === undefined ? /^(?:\d{13}|[\da-f-]{36})$/.test(basename(folder)) : basename(folder) === session
  return [
    ...(isOwn ? [folder] : []),
    ...(session === undefined ? [join(folder, metadata)] : [join(folder, `${session}.json`)]),
  ]
}

function mainFiles(names: readonly string[]): string[] {
  if (names.includes(ui)) return [ui]
  const history = histories.find((name) => names.includes(name))
  if (history !== undefined) return [history]
  const sessions = names.filter((name) => name.endsWith(sdkEnd))
  const main = sessions.filter((name) => !isAgentFile(name))
  return main.length > 0 ? main : sessions
}

/** The conversation of a subagent, next to that of its parent. */
function isAgentFile(name: string): boolean {
  return name.startsWith('agent_') && name.endsWith(sdkEnd)
}

/** The other files of a task: the conversation and what the interface showed are read together. */
async function sessionFiles(path: string): Promise<readonly string[]> {
  const name = unpackedName(basename(path))
  const folder = dirname(path)
  const files = await packedFilesIn(folder)
  const paths = (names: readonly string[]): string[] => names.flatMap((each) => files.get(each) ?? [])
  if (name.endsWith(sdkEnd)) {
    const session = name.slice(0, -sdkEnd.length)
    const isMain = basename(folder) === session
    const agents = isMain ? [...files.keys()].filter(isAgentFile) : []
    return paths([`${session}.json`, `${session}${compactionEnd}`, ...agents])
  }
  const history = histories.find((other) => files.has(other))
  const beside = name === ui ? history : histories.includes(name) ? ui : undefined
  const other = beside === undefined ? undefined : files.get(beside)
  if (other === undefined || (await isBlank(other))) return []
  const description = files.get(metadata)
  const isUsed = description !== undefined && !(await isBlank(description))
  return [...(isUsed ? [description] : []), other]
}

async function isBlank(path: string): Promise<boolean> {
  return (await startOfFile(path, 64)).trim() === ''
}
