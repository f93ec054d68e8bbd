import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import { parseLine } from '../log/parse-line.ts'
import type { LogHead } from '../reader/reader.ts'
import { packedFilesIn, startOfFile } from '../shared/folder-files.ts'

const headBytes = 64 * 1024
const maxCandidates = 1000
// Logs may be packed, including those of subagents.
const ending = /\.jsonl(?:\.gz|\.zst)?$/
const agentName = /^agent-(.+?)\.jsonl(?:\.gz|\.zst)?$/

/**
 * Files of the subagents of a Claude Code log: `<log>/subagents/agent-*.jsonl`, and for older versions the
 * `agent-*.jsonl` in the same folder whose first records have the same session id.
 */
export async function subagentFiles(path: string, head: LogHead): Promise<readonly string[]> {
  if (agentName.test(basename(path)) && isSidechain(head.records) !== false) return []
  const own = ending.test(path) ? await agentFiles(join(sessionFolder(path), 'subagents')) : []
  const sessionId = sessionIdOf(head.records)
  if (sessionId === undefined) return own
  const older: string[] = []
  for (const candidate of await agentFiles(dirname(path))) {
    if (candidate === path) continue
    const records = await firstRecords(candidate)
    // A separate log may have such a name, too.
    if (sessionIdOf(records) === sessionId && isSidechain(records) !== false) older.push(candidate)
  }
  return [...own, ...older]
}

/** The folder of a session, which holds its subagents and large results, or the description of a subagent's file. */
export function companionsOf(path: string): readonly string[] {
  if (!ending.test(path)) return []
  const folder = sessionFolder(path)
  return [agentName.test(basename(path)) ? `${folder}.meta.json` : folder]
}

function sessionFolder(path: string): string {
  return path.replace(ending, '')
}

/** Id of the agent whose file has this name. */
export function agentOfFile(name: string): string | undefined {
  return agentName.exec(name)?.[1]
}

async function agentFiles(folder: string): Promise<string[]> {
  const files = [...(await packedFilesIn(folder)).values()]
  return files.filter((path) => agentName.test(basename(path))).slice(0, maxCandidates)
}

async function firstRecords(path: string): Promise<readonly unknown[]> {
  const text = await startOfFile(path, headBytes)
  return text.split('\n', 5).flatMap((line) => parseLine(line).values)
}

function sessionIdOf(records: readonly unknown[]): string | undefined {
  for (const record of records) {
    const id = asText(asObject(record)?.sessionId)
    if (id !== undefined) return id
  }
  return undefined
}

/** Whether the first record that indicates it belongs to a subagent; `undefined` if none indicates it. */
function isSidechain(records: readonly unknown[]): boolean | undefined {
  return records.map((record) => asObject(record)?.isSidechain).find((value) => typeof value === 'boolean')
}
