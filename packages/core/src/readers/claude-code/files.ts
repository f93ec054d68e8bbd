import { open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../json-values.ts'
import { parseLine } from '../parse-line.ts'
import type { LogHead } from '../reader.ts'

const headBytes = 64 * 1024
const mostCandidates = 1000

/**
 * Files of the subagents of a Claude Code log: `<log>/subagents/agent-*.jsonl`, and of older versions those
 * `agent-*.jsonl` in the same folder whose first records carry the same session id.
 */
export async function subagentFiles(path: string, head: LogHead): Promise<readonly string[]> {
  if (isAgentFile(basename(path))) return []
  const folder = join(path.replace(/\.jsonl$/, ''), 'subagents')
  const own = path.endsWith('.jsonl') ? await agentFiles(folder) : []
  const sessionId = sessionIdOf(head.records)
  if (sessionId === undefined) return own
  const older: string[] = []
  for (const candidate of await agentFiles(dirname(path))) {
    if (sessionIdOf(await firstRecords(candidate)) === sessionId) older.push(candidate)
  }
  return [...own, ...older]
}

/** Id of the agent that a file of this name belongs to. */
export function agentOfFile(name: string): string | undefined {
  return isAgentFile(name) ? name.slice('agent-'.length, -'.jsonl'.length) : undefined
}

function isAgentFile(name: string): boolean {
  return name.startsWith('agent-') && name.endsWith('.jsonl') && name.length > 'agent-.jsonl'.length
}

async function agentFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  return names
    .filter((entry) => entry.isFile() && isAgentFile(entry.name))
    .map((entry) => join(folder, entry.name))
    .sort()
    .slice(0, mostCandidates)
}

async function firstRecords(path: string): Promise<readonly unknown[]> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(headBytes)
    const { bytesRead } = await file.read(buffer, 0, headBytes, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return text
      .split('\n')
      .slice(0, 5)
      .flatMap((line) => parseLine(line).values)
  } finally {
    await file.close()
  }
}

function sessionIdOf(records: readonly unknown[]): string | undefined {
  for (const record of records) {
    const id = asText(asObject(record)?.sessionId)
    if (id !== undefined) return id
  }
  return undefined
}
