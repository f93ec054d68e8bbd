import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { LogReadError } from '../../errors.ts'
import type { Reader } from './reader.ts'

export type LogPlace = { readonly path: string; readonly sessionId?: string }

/** The file, or the log in a folder, that a path names; `PATH#ID` names a session. Throws `LogReadError`. */
export async function locateLog(given: string, readers: readonly Reader[]): Promise<LogPlace> {
  const { path, sessionId } = await splitSelection(given)
  if ((await infoOf(path))?.isDirectory() !== true)
    return { path, ...(sessionId !== undefined && { sessionId }) }
  const logs = await logsOfFolder(path, readers)
  if (logs.length === 0)
    throw new LogReadError('log-unreadable', `${path} is a folder; give one log file in it.`)
  const isNamed = (log: string): boolean =>
    basename(log).replace(/\.[a-z]+$/i, '') === sessionId || log.includes(`/${sessionId}/`)
  const [named, ...others] = sessionId === undefined ? logs : logs.filter(isNamed).slice(0, 1)
  if (named !== undefined && others.length === 0) return { path: named }
  const shown = logs
    .slice(-5)
    .map((log) => basename(log))
    .join(', ')
  if (sessionId !== undefined)
    throw new LogReadError('session-missing', `${path} holds no session ${sessionId}; it holds …, ${shown}.`)
  const several = `${path} holds ${logs.length} logs; give one of them: …, ${shown}.`
  throw new LogReadError('log-unreadable', several)
}

/** The main logs in a folder that readers know as a log or a store; `findLogs` inspects other files. */
export async function logsOfFolder(folder: string, readers: readonly Reader[]): Promise<readonly string[]> {
  const logs = new Set<string>()
  for (const reader of readers) {
    for (const log of (await reader.logsInFolder?.(folder)) ?? []) logs.add(log)
  }
  return [...logs]
}

async function splitSelection(given: string): Promise<LogPlace> {
  const at = given.lastIndexOf('#')
  if (at <= 0 || at === given.length - 1 || (await infoOf(given)) !== undefined) return { path: given }
  const path = given.slice(0, at)
  return (await infoOf(path)) !== undefined ? { path, sessionId: given.slice(at + 1) } : { path: given }
}

async function infoOf(path: string): Promise<Stats | undefined> {
  return await stat(path).catch(() => undefined)
}
