import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { companionsOf, sessionsInFolder, subagentLogs } from './files.ts'

/**
 * Reads sessions of Qwen Code, `~/.qwen/projects/<project>/chats/<session>.jsonl`, with those of its subagents: records
 * like Claude Code's around messages like Gemini CLI's.
 * https://github.com/QwenLM/qwen-code
 */
export const qwenCodeReader: Reader = {
  name: 'qwen-code',
  detect,
  logsInFolder: sessionsInFolder,
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
