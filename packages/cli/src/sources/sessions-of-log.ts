import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { thisPlace } from '@tenfold/core/internal'
import { type AgentLog, findAgentLogs, listSessions, sourceAgents } from '@tenfold/core/readers'
import type { LogDigests } from '../state/digest-logs.ts'
import { errorCode, messageOf, unlessFaulty } from '../terminal/thrown.ts'

interface LogSession {
  readonly log: string
  /** Digest of the content; in a database, whose bytes change with every session, of the session's id and state. */
  readonly digest: string
  readonly changed: number
  readonly id?: string
  readonly cwd?: string
}

export async function sessionsOfLog(log: AgentLog, digests: LogDigests): Promise<LogSession[]> {
  const { path, changed } = log
  if (log.unit === 'database') {
    const listed = await unlessFaulty(listSessions(path), undefined)
    if (listed !== undefined)
      return listed.map(({ id, startedAt, endedAt, cwd, revision }) => {
        const ended = endedAt ?? startedAt
        const time = Date.parse(ended ?? '')
        const state = [path, id, ended ?? changed, ...(revision === undefined ? [] : [revision])]
        return {
          log: `${path}#${id}`,
          id,
          digest: createHash('sha256').update(state.join('\0')).digest('hex'),
          changed: Number.isNaN(time) ? changed : time,
          ...(cwd !== undefined && { cwd }),
        }
      })
  }
  return [{ log: path, digest: await digests.digest(path), changed }]
}

// Cursor writes each session twice: whole to a database, and to a transcript without results of tools, which is named
// after the session.

/** The wanted logs of one agent with their sessions, databases first: a transcript of a session in one is left out. */
export async function* sessionsOfLogs(
  logs: readonly AgentLog[],
  digests: LogDigests,
  isWanted: (log: AgentLog) => boolean | Promise<boolean> = () => true,
): AsyncGenerator<{ readonly log: AgentLog; readonly sessions: LogSession[]; readonly fault?: string }> {
  const databases = logs.filter(({ unit }) => unit === 'database')
  const inDatabases = new Set<string>()
  for (const log of [...databases, ...logs.filter(({ unit }) => unit !== 'database')]) {
    if (isTwin(log, inDatabases) || !(await isWanted(log))) continue
    try {
      const sessions = await sessionsOfLog(log, digests)
      for (const { id } of sessions) if (id !== undefined) inDatabases.add(id)
      yield { log, sessions }
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      yield { log, sessions: [], fault: `${log.path}: ${messageOf(error)}` }
    }
  }
}

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
