import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesNamed, packedNamed } from '../shared/folder-files.ts'

/**
 * Reads sessions of Qwen Code, `~/.qwen/projects/<project>/chats/<session>.jsonl`, with those of its subagents: records
 * like Claude Code's around messages like Gemini CLI's.
 * https://github.com/QwenLM/qwen-code
 */
export const qwenCodeReader: Reader = {
  name: 'qwen-code',
  detect,
  // Gemini CLI names its recordings by their time.
  logsInFolder: (folder) =>
    filesNamed(
      basename(folder) === 'chats' ? folder : join(folder, 'chats'),
      /^[\da-f]{8}-[\da-f-]{27}\.jsonl$/,
    ),
  sessionFiles: subagentLogs,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readQwenCode(records, out),
}

function detect({ records }: LogHead): number {
  let score = 0
  for (const record of records.map(asObject)) {
    if (asText(record?.uuid) === undefined || asText(record?.sessionId) === undefined) continue
    const isContent = Array.isArray(asObject(record?.message)?.parts)
    if (isContent || asObject(record?.systemPayload) !== undefined) score = Math.max(score, 0.9)
    if (isContent && 'parentUuid' in (record ?? {})) score = 1
  }
  return score
}

/** Logs of subagents: `subagents/<session id>/agent-*.jsonl`, next to the folder `chats`. */
async function subagentLogs(path: string, { records }: LogHead): Promise<readonly string[]> {
  const id = asText(asObject(records[0])?.sessionId)
  const chats = dirname(path)
  if (id === undefined || !/^[\w-]{1,128}$/.test(id) || basename(chats) !== 'chats') return []
  return await packedNamed(join(dirname(chats), 'subagents', id), /^agent-[\w-]{1,122}\.jsonl$/)
}

/** Descriptions of subagents, and of the process of a session that runs. */
function companionsOf(path: string): readonly string[] {
  const chats = dirname(path)
  const id = basename(path).replace(/\.jsonl.*$/, '')
  if (basename(chats) !== 'chats') return []
  return [join(chats, `${id}.runtime.json`), join(dirname(chats), 'subagents', id)]
}
