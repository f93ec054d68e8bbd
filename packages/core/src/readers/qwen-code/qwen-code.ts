import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt } from '../shared/folder-files.ts'

/**
 * Reads sessions of Qwen Code, `~/.qwen/projects/<project>/chats/<session>.jsonl`, with those of its subagents: records
 * like Claude Code's around messages like Gemini CLI's. https://github.com/QwenLM/qwen-code
 */
export const qwenCodeReader: Reader = {
  name: 'qwen-code',
  detect({ records }) {
    const scores = records.map((record) => {
      if (json.text(record, 'uuid') === undefined || json.text(record, 'sessionId') === undefined) return 0
      const isContent = Array.isArray(json.at(record, 'message', 'parts'))
      if (isContent && json.at(record, 'parentUuid') !== undefined) return 1
      return isContent || json.object(record, 'systemPayload') !== undefined ? 0.9 : 0
    })
    return Math.max(0, ...scores)
  },
  // Gemini CLI names its recordings by their time.
  async logsInFolder(folder) {
    const chats = basename(folder) === 'chats' ? folder : join(folder, 'chats')
    return await filesAt(chats, /^[\da-f]{8}-[\da-f-]{27}\.jsonl$/)
  },
  // Logs of subagents: `subagents/<session id>/agent-*.jsonl`, next to the folder `chats`.
  async sessionFiles(path, { records }) {
    const id = json.text(records[0], 'sessionId') ?? ''
    const chats = dirname(path)
    if (!/^[\w-]{1,128}$/.test(id) || basename(chats) !== 'chats') return []
    return await filesAt(dirname(chats), 'subagents', id, /^agent-[\w-]{1,122}\.jsonl$/)
  },
  // Descriptions of subagents, and of the process of a running session.
  companions(path) {
    const chats = dirname(path)
    const id = basename(path).replace(/\.jsonl.*$/, '')
    if (basename(chats) !== 'chats') return []
    return [join(chats, `${id}.runtime.json`), join(dirname(chats), 'subagents', id)]
  },
  read: async (records, out) => (await import('./read.ts')).readQwenCode(records, out),
}
