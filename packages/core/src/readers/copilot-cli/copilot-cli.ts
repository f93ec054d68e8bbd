import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesOfFolders, filesThatBegin, namesIn } from '../shared/folder-files.ts'

/**
 * Reads event logs of GitHub Copilot CLI, `~/.copilot/session-state/<id>/events.jsonl`: lines of `{type, data, id,
 * timestamp, parentId, agentId?}`.
 */
export const copilotCliReader: Reader = {
  name: 'copilot-cli',
  detect: detectCopilotCli,
  logsInFolder: copilotLogs,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readCopilotCli(records, out),
}

const log = 'events.jsonl'

/**
 * Logs in a folder: `session-state/<id>` itself; `session-state`, which for older versions holds files `<id>.jsonl`;
 * or the home of Copilot CLI, `~/.copilot`.
 */
async function copilotLogs(folder: string): Promise<readonly string[]> {
  const { files, folders } = await namesIn(folder)
  const candidates = files.includes(log)
    ? [join(folder, log)]
    : folders.includes('session-state')
      ? await storedLogs(join(folder, 'session-state'))
      : await storedLogs(folder)
  return await filesThatBegin(candidates, firstLine)
}

/** The folder of a session, with its plan, checkpoints and snapshots. */
function companionsOf(path: string): readonly string[] {
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

const firstLine = /^\uFEFF?\s*\{"type":\s*"session\.start"[\s\S]*"copilotVersion"/

const eventType = /^(?:session|user|assistant|tool|hook|system|subagent|permission|skill)\.[a-z_]+$/

function detectCopilotCli({ records }: LogHead): number {
  let score = 0
  for (const value of records) {
    const record = asObject(value)
    const data = asObject(record?.data)
    const type = asText(record?.type)
    if (record === undefined || data === undefined || type === undefined) continue
    if (type === 'session.start' && (data.producer === 'copilot-agent' || asText(data.copilotVersion)))
      return 1
    const chained = 'parentId' in record && asText(record.id) !== undefined
    if (chained && eventType.test(type) && asText(record.timestamp) !== undefined) score = 0.9
  }
  return score
}
