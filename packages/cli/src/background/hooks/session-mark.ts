import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolder, statePlace } from '../../state/state-folder.ts'
import { errorCode, messageOf } from '../../terminal/thrown.ts'
import { logHook } from './hook-log.ts'
import type { HookPayload } from './hook-payload.ts'

// One small file per session in the state folder holds the id of the bundle whose brief the session was given: not every
// agent writes what a hook gives it to its log. The end of a session does not delete its file: a session that is resumed
// needs it again. A file is deleted 30 days after the last event of its session that used it.

const folder = 'begun'
const maxAge = 30 * 24 * 60 * 60_000
/** A hook has little time: the next ones look at the rest. */
const maxLooks = 300

/** Remembers whose brief a session was given. */
export function rememberBrief({ agent, session }: HookPayload, bundle: string): void {
  if (session === undefined) return
  const name = nameOf(agent, session)
  writeFileSync(join(statePlace(folder), name), bundle, { mode: 0o600 })
  dropOldMarks(name)
}

/** Id of the bundle whose brief a session was given; undefined if it was given none. */
export function briefOf({ agent, session }: HookPayload): string | undefined {
  if (session === undefined) return undefined
  const path = join(stateFolder(), folder, nameOf(agent, session))
  try {
    const bundle = readFileSync(path, 'utf8')
    touch(path)
    return bundle === '' ? undefined : bundle
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Sets the time of the last event. */
function touch(path: string): void {
  const now = new Date()
  utimesSync(path, now, now)
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
      .filter((each) => each !== name && /^[0-9a-f]{32}$/.test(each))
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
