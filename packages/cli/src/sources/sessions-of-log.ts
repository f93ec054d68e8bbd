import { createHash } from 'node:crypto'
import { type AgentLog, listSessions, TenfoldError } from '@tenfold/core'
import type { LogDigests } from '../state/digest-logs.ts'

/** One session of a log: what a sweep compresses and remembers. */
export interface LogSession {
  /** `PATH`, or `PATH#ID` in a database. */
  readonly log: string
  /** Digest of the content; in a database, whose bytes change with every session, of the session's id and state. */
  readonly digest: string
  /** When it was last written to, in milliseconds since 1970. */
  readonly changed: number
  /** Its id in a database. */
  readonly id?: string
  /** Where it ran, if the database says so. */
  readonly cwd?: string
}

/** The sessions of a log. A database that no reader can list counts as one, and fails when it is compressed. */
export async function sessionsOfLog(log: AgentLog, digests: LogDigests): Promise<LogSession[]> {
  const { path, changed } = log
  if (log.unit === 'database') {
    const listed = await listDatabase(path)
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

async function listDatabase(path: string): ReturnType<typeof listSessions> {
  try {
    return await listSessions(path)
  } catch (error) {
    if (TenfoldError.isInstance(error)) return undefined
    throw error
  }
}
