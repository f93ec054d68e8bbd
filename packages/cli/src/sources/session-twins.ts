import { basename, dirname } from 'node:path'
import { type AgentLog, findAgentLogs, sourceAgents, thisPlace } from '@tenfold/core'
import type { LogDigests } from '../state/digest-logs.ts'
import { type LogSession, sessionsOfLog } from './sessions-of-log.ts'

// Cursor writes each session twice: whole to a database, and to a transcript without results of tools, which is named
// after the session.

/** The logs of one agent with its databases first, so that {@link isTwin} knows what these hold. */
export function databasesFirst(logs: readonly AgentLog[]): AgentLog[] {
  const databases = logs.filter(({ unit }) => unit === 'database')
  return [...databases, ...logs.filter(({ unit }) => unit !== 'database')]
}

/** Whether a log is the transcript of one of these sessions, given by id. */
export function isTwin({ path, unit }: AgentLog, inDatabases: ReadonlySet<string>): boolean {
  return unit !== 'database' && inDatabases.has(idOf(path))
}

/** The session in a database whose transcript a hook of Cursor named; `undefined` if it is in none. */
export async function twinInDatabase(
  transcript: string,
  agent: string,
  digests: LogDigests,
): Promise<LogSession | undefined> {
  const source = agent === 'cursor' ? sourceAgents.find(({ name }) => name === agent) : undefined
  if (source === undefined) return undefined
  const { logs } = await findAgentLogs(source, thisPlace())
  const wanted = idOf(transcript)
  const databases = logs.filter(({ unit }) => unit === 'database')
  // The database of a chat of the CLI is in a folder named after it.
  const own = databases.filter(({ path }) => basename(dirname(path)) === wanted)
  for (const log of own.length > 0 ? own : databases.filter(({ path }) => path.endsWith('.vscdb'))) {
    const sessions = await sessionsOfLog(log, digests)
    const twin = sessions.find(({ id }) => id === wanted)
    if (twin !== undefined) return twin
  }
  return undefined
}

function idOf(path: string): string {
  return basename(path).replace(/\.[a-z]+$/, '')
}
