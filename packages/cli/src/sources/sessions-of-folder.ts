import { realpathSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { type AgentLog, findAgentLogs, sourceAgents, TenfoldError, thisPlace } from '@tenfold/core'
import { errorCode, unlessRefused } from '../terminal/thrown.ts'
import { peekLog } from './peek-log.ts'

/** The newest logs that are opened; a session of this folder in an older one is not found. */
const maxOpened = 300

/**
 * Finds the newest sessions that agents ran in a folder or below it, newest first and at most `limit`. Sessions in
 * databases, which do not say where they ran without being read whole, are not among them.
 */
export async function sessionsOfFolder(
  folder: string,
  limit: number,
  signal: AbortSignal,
): Promise<AgentLog[]> {
  const place = thisPlace()
  const logs: AgentLog[] = []
  for (const agent of sourceAgents) logs.push(...(await findAgentLogs(agent, place)).logs)
  logs.sort((a, b) => b.changed - a.changed || (a.path < b.path ? -1 : 1))
  const found: AgentLog[] = []
  for (const log of logs.filter(({ unit }) => unit !== 'database').slice(0, maxOpened)) {
    signal.throwIfAborted()
    if (await ranIn(folder, log)) found.push(log)
    if (found.length === limit) break
  }
  return found
}

async function ranIn(folder: string, log: AgentLog): Promise<boolean> {
  if (log.project !== undefined) return isWithin(folder, log.project)
  try {
    const { cwd, own } = await peekLog(log.path)
    return !own && cwd !== undefined && isWithin(folder, cwd)
  } catch (error) {
    // The file is not a log, or was deleted since it was listed.
    if (TenfoldError.isInstance(error) || errorCode(error) !== undefined) return false
    throw error
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(truePath(folder), truePath(path))
  return way === '' || !(way.startsWith('..') || resolve(way) === way)
}

function truePath(path: string): string {
  // The folder of an old session may be gone.
  return unlessRefused(() => realpathSync(path), resolve(path))
}
