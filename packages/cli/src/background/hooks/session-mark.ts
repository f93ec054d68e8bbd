import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LockOwner, ownerOf } from '@tenfold/core/internal/locks'
import { stateFolder, statePlace } from '../../state/state-folder.ts'
import { hasTexts, parseJson } from '../../terminal/regular-file.ts'
import { messageOf, unlessRefused } from '../../terminal/thrown.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'
import { logHook } from './hook-log.ts'
import type { HookPayload } from './hook-payload.ts'

// One small file per session in the state folder, from its first event on. Not every agent says when a session ends, or
// writes what a hook gives it to its log. The end of a session does not delete its file: a session that is resumed needs
// it again. A file is deleted 30 days after the last event of its session that used it.

export interface SessionMark {
  readonly agent: HookAgent
  readonly session: string
  readonly store?: string
  /** `PATH`, or `PATH#ID` in a database. */
  readonly log?: string
  readonly process?: LockOwner
  readonly brief?: string
  readonly ended?: boolean
}

const folder = 'begun'
const fileName = /^[0-9a-f]{32}$/
const maxAge = 30 * 24 * 60 * 60_000
/** A hook has little time: the next ones look at the rest. */
const maxLooks = 300

export function markSession(
  { agent, session }: HookPayload,
  fields: Omit<SessionMark, 'agent' | 'session'>,
): SessionMark | undefined {
  if (session === undefined) return undefined
  const name = nameOf(agent, session)
  const path = join(statePlace(folder), name)
  const isNew = !existsSync(path)
  const mark: SessionMark = { ...readMark(path), ...fields, agent, session }
  writeFileSync(path, JSON.stringify(mark), { mode: 0o600 })
  if (isNew) dropOldMarks(name)
  return mark
}

export function marksOf(store: string): (SessionMark & { readonly used: number })[] {
  const place = join(stateFolder(), folder)
  const names = unlessRefused(() => readdirSync(place), [], 'ENOENT').filter((name) => fileName.test(name))
  return names.flatMap((name) => {
    const path = join(place, name)
    const mark = readMark(path)
    const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    return mark?.store === store && used !== undefined ? [{ ...mark, used }] : []
  })
}

/** Undefined if there is none, and for a file that another hook is writing. */
function readMark(path: string): SessionMark | undefined {
  const text = unlessRefused(() => readFileSync(path, 'utf8'), '')
  const value = text === '' ? undefined : parseJson(text)
  if (!hasTexts(value, ['agent', 'session'])) return undefined
  const { agent, session, process, ended, ...rest } = value
  if (!isHookAgent(agent)) return undefined
  const words = Object.fromEntries(
    ['store', 'log', 'brief'].flatMap((name) => (typeof rest[name] === 'string' ? [[name, rest[name]]] : [])),
  )
  const owner = process === undefined ? undefined : ownerOf(JSON.stringify(process))
  return {
    agent,
    session,
    ...words,
    ...(owner !== undefined && { process: owner }),
    ...(ended === true && { ended }),
  }
}

function nameOf(agent: string, session: string): string {
  return createHash('sha256').update(`${agent}\0${session}`).digest('hex').slice(0, 32)
}

/**
 * Deletes the marks of sessions without an event for 30 days. Looks at no more than 300 files, those that follow `name`:
 * names are hashes, so each new session looks at other ones. Never throws: `hooks.log` records why it failed.
 */
function dropOldMarks(name: string): void {
  const place = join(stateFolder(), folder)
  const oldest = Date.now() - maxAge
  try {
    const names = readdirSync(place)
      .filter((each) => each !== name && fileName.test(each))
      .sort()
    const at = names.findIndex((each) => each > name)
    const inTurn = at === -1 ? names : [...names.slice(at), ...names.slice(0, at)]
    for (const each of inTurn.slice(0, maxLooks)) dropIfOlder(join(place, each), oldest)
  } catch (error) {
    logHook({ fault: `old marks of sessions were not deleted: ${messageOf(error)}` })
  }
}

function dropIfOlder(path: string, oldest: number): void {
  // Undefined if another hook was faster.
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && stats.mtimeMs < oldest) rmSync(path, { force: true })
}
