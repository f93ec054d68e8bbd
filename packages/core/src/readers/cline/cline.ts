import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import { unpackedName } from '../log/log-file.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, filesThatBegin, namesIn } from '../shared/folder-files.ts'
import { documentKind, metadata, textOf, ui } from './shapes.ts'

const histories = ['api_conversation_history.json', 'claude_messages.json']
const sdkEnd = '.messages.json'

/**
 * Reads tasks of Cline, Roo Code and Kilo Code: `api_conversation_history.json` (messages of the API) with
 * `ui_messages.json` (texts of the interface), or either of them; and sessions of the Cline SDK, `*.messages.json`.
 * https://github.com/cline/cline
 */
export const clineReader: Reader = {
  name: 'cline',
  framing: 'document',
  detect({ document }) {
    const kind = documentKind(document)
    if (kind === 'ui')
      return json.list(document).some((item) => typeof json.at(item, 'ts') === 'number') ? 0.95 : 0
    if (kind === 'sdk') {
      const { version, system_prompt, agent, updated_at } = json.fields(document)
      const marks = json.texts([system_prompt, agent, updated_at]).length
      return marks + (typeof version === 'number' ? 1 : 0) >= 3 ? 0.95 : 0
    }
    return kind === 'history' ? scoreHistory(json.list(document)) : 0
  },
  // A task or a session of the SDK, a folder of them, or the extension's storage with all tasks.
  async logsInFolder(folder) {
    const own = await mainFiles(folder)
    if (own.length > 0) return own
    const { folders } = await namesIn(folder)
    const store = folders.includes('tasks') && basename(folder) !== 'tasks' ? join(folder, 'tasks') : folder
    const logs: string[] = []
    for (const inner of (await namesIn(store)).folders) logs.push(...(await mainFiles(join(store, inner))))
    return logs
  },
  async sessionFiles(path) {
    const name = unpackedName(basename(path))
    const folder = dirname(path)
    const session = sessionOf(name)
    if (session !== undefined) {
      const around = [`${session}.json`, `${session}.compaction.json`, /^agent_.*\.messages\.json$/]
      const found: string[] = []
      for (const each of basename(folder) === session ? around : around.slice(0, 2))
        found.push(...(await filesAt(folder, each)))
      return found
    }
    const beside = name === ui ? histories : histories.includes(name) ? [ui] : []
    for (const each of beside) {
      const other = await filesAt(folder, each)
      if (other.length === 0) continue
      const [found] = await filesThatBegin(other, /\S/)
      return found === undefined
        ? []
        : [...(await filesThatBegin(await filesAt(folder, metadata), /\S/)), found]
    }
    return []
  },
  companions(path) {
    const folder = dirname(path)
    const session = sessionOf(path)
    // Tasks are named by the time in milliseconds or by a UUID; a log may also be alone among other files.
    const isOwn =
      session === undefined
        ? /^(?:\d{13}|[\da-f-]{36})$/.test(basename(folder))
        : basename(folder) === session
    return [...(isOwn ? [folder] : []), join(folder, session === undefined ? metadata : `${session}.json`)]
  },
  read: async (records, out) => (await import('./read.ts')).readCline(records, out),
}

function sessionOf(path: string): string | undefined {
  const name = basename(path)
  return name.endsWith(sdkEnd) ? name.slice(0, -sdkEnd.length) : undefined
}

async function mainFiles(folder: string): Promise<readonly string[]> {
  for (const name of [ui, ...histories]) {
    const found = await filesAt(folder, name)
    if (found.length > 0) return found
  }
  const sessions = await filesAt(folder, /\.messages\.json$/)
  // The conversation of a subagent is next to that of its parent.
  const main = sessions.filter((path) => !basename(path).startsWith('agent_'))
  return main.length > 0 ? main : sessions
}

const ownKeys = /^(?:isSummary|condenseId|condenseParent|truncationId|truncationParent|isTruncationMarker)$/

function scoreHistory(messages: readonly unknown[]): number {
  let score = 0
  for (const message of json.objects(messages.slice(0, 20))) {
    if (message.role !== 'user' && message.role !== 'assistant') continue
    const text = message.role === 'user' ? textOf(message.content) : ''
    if (text.includes('<environment_details>') && text.includes('</environment_details>')) return 0.95
    if (/^\s*<task>[\s\S]*<\/task>/.test(text) || /^\s*\[[a-z_]+[^\n]*\] Result:/.test(text)) score = 0.85
    if (Object.keys(message).some((key) => ownKeys.test(key))) return 0.9
    if (typeof message.ts === 'number') score = Math.max(score, json.object(message.modelInfo) ? 0.85 : 0.6)
  }
  return score
}
