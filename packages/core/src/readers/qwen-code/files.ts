import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'
import { namesIn, packedFilesIn } from '../shared/folder-files.ts'

const logName = /^agent-[\w-]{1,122}\.jsonl$/

/** Logs of subagents: `subagents/<session id>/agent-*.jsonl`, next to the folder `chats`. */
export async function subagentLogs(path: string, { records }: LogHead): Promise<readonly string[]> {
  const id = asText(asObject(records[0])?.sessionId)
  const chats = dirname(path)
  if (id === undefined || !/^[\w-]{1,128}$/.test(id) || basename(chats) !== 'chats') return []
  const files = await packedFilesIn(join(dirname(chats), 'subagents', id))
  return [...files].filter(([name]) => logName.test(name)).map(([, file]) => file)
}

/** Descriptions of subagents, and of the process of a session that runs. */
export function companionsOf(path: string): readonly string[] {
  const chats = dirname(path)
  const id = basename(path).replace(/\.jsonl.*$/, '')
  if (basename(chats) !== 'chats') return []
  return [join(chats, `${id}.runtime.json`), join(dirname(chats), 'subagents', id)]
}

/** Sessions in the folder of a project, or in its folder `chats`. */
export async function sessionsInFolder(folder: string): Promise<readonly string[]> {
  const chats = basename(folder) === 'chats' ? folder : join(folder, 'chats')
  const { files } = await namesIn(chats)
  // Gemini CLI names its recordings by their time.
  return files
    .filter((name) => /^[\da-f]{8}-[\da-f-]{27}\.jsonl$/.test(name))
    .map((name) => join(chats, name))
}
