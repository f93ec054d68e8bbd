import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'
import { namesIn, packedFilesIn } from '../shared/folder-files.ts'

/** Recordings of subagents: `chats/<session id>/*.jsonl` next to `chats/session-*.jsonl`. */
export async function subagentRecordings(
  path: string,
  { document, records }: LogHead,
): Promise<readonly string[]> {
  const id = asText(asObject(document ?? records[0])?.sessionId)
  if (id === undefined || !/^[\w-]{1,128}$/.test(id)) return []
  const files = await packedFilesIn(join(dirname(path), id))
  return [...files].filter(([name]) => /\.jsonl?$/.test(name)).map(([, file]) => file)
}

/** Gemini CLI's other files about a project, next to the folder `chats`. */
export function companionsOf(path: string): readonly string[] {
  const chats = dirname(path)
  if (basename(chats) !== 'chats') return []
  return ['logs.json', '.project_root', 'shell_history'].map((name) => join(dirname(chats), name))
}

/** The recordings in a folder `chats`, oldest first, since their names begin with the time. */
export async function recordingsInFolder(folder: string): Promise<readonly string[]> {
  for (const chats of [folder, join(folder, 'chats')]) {
    const { files } = await namesIn(chats)
    const found = files.filter((name) => /^session-\d{4}-\d\d-\d\dT[\w-]{1,80}\.jsonl?$/.test(name))
    if (found.length > 0) return found.map((name) => join(chats, name))
  }
  return []
}
