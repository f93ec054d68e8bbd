import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { cleanLine, thisPlace } from '@tenfold/core/internal'
import { type AgentLog, findAgentLogs, listSessions, sourceAgents } from '@tenfold/core/readers'
import { type LogDigests, openDigests } from '../state/digest-logs.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { formatBytes, formatDuration } from '../terminal/text.ts'
import { errorCode, messageOf, unlessFaulty, unlessRefused } from '../terminal/thrown.ts'
import { peekLog } from './peek-log.ts'

export interface FolderSession {
  readonly agent: string
  readonly path: string
  readonly changed: number
  /** Undefined for sessions in a database. */
  readonly bytes?: number
  readonly digest?: string
}

/** How many of the newest logs are opened. A session in an older log is not found. */
const maxOpened = 300

export async function sessionsOfFolder(folder: string, limit: number, signal: AbortSignal) {
  const place = thisPlace()
  const logs: AgentLog[] = []
  for (const agent of sourceAgents) logs.push(...(await findAgentLogs(agent, place)).logs)
  logs.sort(newestFirst)
  const found: FolderSession[] = []
  const files: AgentLog[] = []
  const inDatabases = new Set<string>()
  for (const log of logs.slice(0, maxOpened)) {
    signal.throwIfAborted()
    // A database is dated by its newest session, so it may contain older ones.
    if (found.length + files.length >= limit && log.unit !== 'database') break
    if (log.unit !== 'database') {
      const cwd = log.project ?? (await folderOfSession(log.path))
      if (cwd !== undefined && isWithin(folder, cwd)) files.push(log)
      continue
    }
    // The log may be locked, or deleted since it was listed.
    const sessions = await unlessFaulty(sessionsOfLog(log, openDigests()), [])
    for (const { log: path, id, digest, changed, cwd } of sessions) {
      if (id !== undefined) inDatabases.add(id)
      if (cwd !== undefined && isWithin(folder, cwd)) found.push({ agent: log.agent, path, changed, digest })
    }
  }
  for (const log of files) if (!isTwin(log, inDatabases)) found.push(log)
  return found.sort(newestFirst).slice(0, limit)
}

function newestFirst(a: Pick<AgentLog, 'changed' | 'path'>, b: Pick<AgentLog, 'changed' | 'path'>): number {
  return b.changed - a.changed || (a.path < b.path ? -1 : 1)
}

/** The folder that a log's session ran in. Undefined if unknown, for sub-agents and for tenfold's own sessions. */
export async function folderOfSession(path: string): Promise<string | undefined> {
  // The file may not be a log, or was deleted since it was listed.
  const peek = await unlessFaulty(peekLog(path), undefined)
  return peek?.own || peek?.isPart ? undefined : peek?.cwd
}

export function isWithin(folder: string, path: string): boolean {
  const way = relative(truePath(folder), truePath(path))
  return way === '' || !(way.startsWith('..') || resolve(way) === way)
}

function truePath(path: string): string {
  // An old session's folder may no longer exist.
  return unlessRefused(() => realpathSync(path), resolve(path))
}

export function sessionText({ agent, path, bytes, changed }: FolderSession, now: Date): string {
  const size = bytes === undefined ? '' : `, ${formatBytes(bytes)}`
  return `${agent}, ${ago(new Date(changed).toISOString(), now)}${size}: ${cleanLine(path)}`
}

export function ago(time: string, now: Date): string {
  const passed = now.getTime() - Date.parse(time)
  const days = Math.floor(passed / 86_400_000)
  if (days >= 2) return `${days} days ago`
  return passed < 60_000 ? 'just now' : `${formatDuration(passed)} ago`
}

const shown = 9

/** The newest session of a folder; in a terminal, the user picks one of the newest. Undefined if there is none. */
export async function chooseSession(folder: string, context: CommandContext) {
  const asks = process.stdin.isTTY && process.stdout.isTTY
  const sessions = await sessionsOfFolder(folder, asks ? shown : 1, context.signal)
  const [newest] = sessions
  if (newest === undefined) return undefined
  const now = new Date()
  if (asks && sessions.length > 1) return await pick(sessions, now, context)
  context.terminal.note(`The newest session of this folder: ${sessionText(newest, now)}`)
  return newest.path
}

async function pick(sessions: readonly FolderSession[], now: Date, { terminal, signal }: CommandContext) {
  terminal.warn('Sessions of this folder, newest first:')
  for (const [index, session] of sessions.entries())
    terminal.warn(`  ${index + 1}  ${sessionText(session, now)}`)
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    for (;;) {
      const answer = (await prompt.question(`Compress which one? [1] `, { signal })).trim()
      const session = sessions[Number(answer === '' ? '1' : answer) - 1]
      if (session !== undefined) return session.path
      terminal.warn(`Expected a number from 1 to ${sessions.length}.`)
    }
  } finally {
    prompt.close()
  }
}

interface LogSession {
  readonly log: string
  /** Digest of the content. For a database, whose bytes change with every session, of the session's id and state. */
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

// Cursor writes each session twice: completely to a database, and without tool results to a transcript named after the
// session.

/** An agent's logs with their sessions, databases first. Leaves out transcripts of sessions that a database has. */
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

function isTwin({ path, unit }: AgentLog, inDatabases: ReadonlySet<string>): boolean {
  return unit !== 'database' && inDatabases.has(idOf(path))
}

/** The database session for a transcript that a hook of Cursor named. Undefined if no database has it. */
export async function twinInDatabase(transcript: string, agent: string, digests: LogDigests) {
  const source = agent === 'cursor' ? sourceAgents.find(({ name }) => name === agent) : undefined
  if (source === undefined) return undefined
  const { logs } = await findAgentLogs(source, thisPlace())
  const wanted = idOf(transcript)
  const databases = logs.filter(({ unit }) => unit === 'database')
  // The CLI keeps a chat's database in a folder named after the chat.
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
