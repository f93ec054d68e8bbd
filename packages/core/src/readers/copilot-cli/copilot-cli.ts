import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, filesThatBegin } from '../shared/folder-files.ts'

const log = 'events.jsonl'
const firstLine = /^\uFEFF?\s*\{"type":\s*"session\.start"[\s\S]*"copilotVersion"/

/**
 * Reads event logs of GitHub Copilot CLI, `~/.copilot/session-state/<id>/events.jsonl`: lines of `{type, data, id,
 * timestamp, parentId, agentId?}`.
 */
export const copilotCliReader: Reader = {
  name: 'copilot-cli',
  detect({ records }) {
    let score = 0
    for (const value of records) {
      const { data, id, timestamp, type, ...record } = json.fields(value)
      if (json.object(data) === undefined || json.text(type) === undefined) continue
      const isOwn =
        json.text(data, 'producer') === 'copilot-agent' || json.text(data, 'copilotVersion') !== undefined
      if (type === 'session.start' && isOwn) return 1
      const chained =
        'parentId' in record && json.text(id) !== undefined && json.text(timestamp) !== undefined
      if (chained && eventType.test(String(type))) score = 0.9
    }
    return score
  },
  // The folder of a session, that of all sessions, in which older versions have files `<id>.jsonl`, or `~/.copilot`.
  async logsInFolder(folder) {
    const own = await filesAt(folder, log)
    const stores = own.length > 0 ? [] : [folder, join(folder, 'session-state')]
    for (const store of stores)
      own.push(...(await filesAt(store, /^[\da-f-]{36}\.jsonl$/)), ...(await filesAt(store, /./, log)))
    return await filesThatBegin(own, firstLine)
  },
  // The folder of a session, with its plan, checkpoints and snapshots.
  companions(path) {
    const folder = basename(path) === log ? dirname(path) : path.replace(/\.jsonl$/, '')
    return folder !== path && /^[\da-f-]{36}$/.test(basename(folder)) ? [folder] : []
  },
  read: async (records, out) => (await import('./read.ts')).readCopilotCli(records, out),
}

const eventType = /^(?:session|user|assistant|tool|hook|system|subagent|permission|skill)\.[a-z_]+$/
