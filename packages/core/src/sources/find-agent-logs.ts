import { type Dirent, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { errorCode, messageOf } from '../errors.ts'
import type { AgentLogs, AgentPlace, SourceAgent } from './agents.ts'

/** A log in an agent's folder. */
export interface AgentLog {
  /** Name of the agent. */
  readonly agent: string
  /** Input for `compressLog` and `readSession`. */
  readonly path: string
  /** What holds the session: a file, a folder of files, or rows of a database. */
  readonly unit: 'file' | 'folder' | 'database'
  /** Size on disk. */
  readonly bytes: number
  /** When the log was last written, in milliseconds since 1970. */
  readonly changed: number
  /** The project of the log, if the log is inside it. */
  readonly project?: string
}

/** Logs of one agent. */
export interface AgentFinding {
  /** The agent that was looked for. */
  readonly agent: SourceAgent
  /** Existing folders only. */
  readonly folders: readonly string[]
  /** Oldest first. */
  readonly logs: readonly AgentLog[]
  /** Folders that cannot be searched. */
  readonly faults: readonly string[]
}

export function thisPlace(): AgentPlace {
  return { env: process.env, home: homedir(), cwd: process.cwd(), platform: process.platform }
}

// Synchronous calls, because asynchronous ones take five times as long for thousands of files, and a hook waits.

/**
 * Finds the logs that an agent keeps. Folders that cannot be searched are listed in `faults`; the others are still
 * searched.
 */
export async function findAgentLogs(agent: SourceAgent, place: AgentPlace): Promise<AgentFinding> {
  const folders: string[] = []
  const faults: string[] = []
  const logs: AgentLog[] = []
  for (const kind of agent.logs) {
    for (const folder of kind.folders(place)) {
      const names = listFolder(folder, faults)
      if (names === undefined) continue
      // The working folder itself does not belong to an agent.
      if (folder !== place.cwd && !folders.includes(folder)) folders.push(folder)
      const found = logsBelow(agent, kind, folder, faults)
      logs.push(...(kind.inProject ? found.map((log) => ({ ...log, project: place.cwd })) : found))
    }
  }
  logs.sort((a, b) => a.changed - b.changed || (a.path < b.path ? -1 : 1))
  return { agent, folders, logs: withoutPackedTwins(logs), faults }
}

function logsBelow(agent: SourceAgent, kind: AgentLogs, root: string, faults: string[]): AgentLog[] {
  const { unit = 'file' } = kind
  const found: AgentLog[] = []
  const open = [{ folder: root, inside: '', level: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of listFolder(next.folder, faults) ?? []) {
      const path = `${next.folder}${sep}${entry.name}`
      const inside = `${next.inside}${entry.name}`
      if (entry.isDirectory()) {
        if (next.level < kind.depth) open.push({ folder: path, inside: `${inside}/`, level: next.level + 1 })
        continue
      }
      if (!kind.pattern.test(inside)) continue
      const log = logAt(unit === 'folder' ? dirname(path) : path, path, faults)
      if (log !== undefined) found.push({ agent: agent.name, unit, ...log })
    }
  }
  return found
}

/** Size and time of a log; undefined if it is missing, empty or not a regular file. */
function logAt(path: string, file: string, faults: string[]) {
  try {
    const info = statSync(file)
    if (!info.isFile() || info.size === 0) return undefined
    if (path === file) return { path, bytes: info.size, changed: Math.max(info.mtimeMs, journalTime(path)) }
    return { path, ...sizeOfFolder(path) }
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code !== 'ENOENT') faults.push(messageOf(error))
    return undefined
  }
}

/** SQLite writes to a file next to the database first. */
function journalTime(path: string): number {
  if (!/\.(?:db|vscdb)$/.test(path)) return 0
  try {
    return statSync(`${path}-wal`).mtimeMs
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return 0
  }
}

function sizeOfFolder(folder: string): { bytes: number; changed: number } {
  let bytes = 0
  let changed = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const info = statSync(join(entry.parentPath, entry.name))
    bytes += info.size
    changed = Math.max(changed, info.mtimeMs)
  }
  return { bytes, changed }
}

function listFolder(folder: string, faults: string[]): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code !== 'ENOENT' && code !== 'ENOTDIR') faults.push(messageOf(error))
    return undefined
  }
}

/** Codex leaves a log and its packed copy side by side for a moment; the plain one counts. */
function withoutPackedTwins(logs: readonly AgentLog[]): AgentLog[] {
  const paths = new Set(logs.map((log) => log.path))
  return logs.filter(
    ({ path }) => !paths.has(path.replace(/\.(?:zst|gz)$/, '')) || !/\.(?:zst|gz)$/.test(path),
  )
}
