import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, type LockOwner, ownerOf } from '@tenfold/core/internal/locks'
import { stateFolder, statePlace } from '../../state/state-folder.ts'
import { hasTexts, parseJson } from '../../terminal/regular-file.ts'
import { messageOf, unlessRefused } from '../../terminal/thrown.ts'
import { agentProcess } from './agent-process.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'
import { logHook } from './hook-log.ts'
import type { HookPayload } from './hook-payload.ts'
import { dueAt, enqueue, type HookJob, openJobs } from './job-queue.ts'
import type { OpenSession } from './open-sessions.ts'
import { startWorker } from './start-worker.ts'

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

const look = 50
/** The commands of the hooks end after four seconds, those of Cline after two. */
const defaultWait = 2_500
const clineWait = 1_000

export interface Unbundled {
  readonly unfinished: readonly HookJob[]
  readonly running: readonly OpenSession[]
}

/**
 * Waits until the sessions of a project that ended, with or without an event, or were compacted, have their bundles:
 * after `/clear`, a kill, a quick restart or a compaction the next session would otherwise be given the brief of the
 * session before. The longest wait is set by TENFOLD_HOOK_WAIT in milliseconds.
 */
export async function waitForBundles(
  payload: HookPayload,
  { project, store }: { readonly project: string; readonly store: string },
): Promise<Unbundled> {
  const open = () => openJobs().filter((job) => job.store === store && job.track === 'main')
  // The turn of a session that is over: nothing more will come that could postpone it.
  for (const job of open())
    if (dueAt(job) > Date.now() && isOver(job, payload)) enqueue({ ...job, notBefore: Date.now() })
  const { over, running } =
    payload.source === 'compact'
      ? { over: [], running: [] }
      : await (await import('./open-sessions.ts')).findOpenSessions({ project, store }, payload)
  const now = Date.now()
  // What ended first is compressed first.
  for (const { changed, ...session } of over)
    enqueue({
      ...{ version: 1, event: 'no event', ...session, store, track: 'main' },
      ...{ queuedAt: Math.floor(changed), notBefore: now, attempts: 0 },
    })
  const due = () => open().filter((job) => dueAt(job) <= Date.now() && job.attempts === 0)
  if (due().length === 0) return { unfinished: open().filter(({ attempts }) => attempts > 0), running }
  const works = startWorker() !== 'off'
  for (const end = Date.now() + (works ? longest(payload.agent) : 0); due().length > 0 && Date.now() < end; )
    await sleep(look)
  return { unfinished: open().filter((job) => dueAt(job) <= Date.now()), running }
}

/** Whether a session starts in the place of another one of its agent, which does not run in a process of its own. */
function isOver({ agent, session, process }: HookJob, payload: HookPayload): boolean {
  if (agent !== payload.agent || session === payload.session) return false
  return process === undefined || hasEnded(process, true) || process.pid === agentProcess()?.pid
}

function longest(agent: HookAgent): number {
  const usual = agent === 'cline' ? clineWait : defaultWait
  const given = Number(process.env.TENFOLD_HOOK_WAIT ?? usual)
  return Number.isFinite(given) && given >= 0 ? given : usual
}
