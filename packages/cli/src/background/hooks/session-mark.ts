import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolder, statePlace } from '../../state/state-folder.ts'
import { errorCode } from '../../terminal/thrown.ts'
import { dropOldMarks } from './drop-old-marks.ts'
import type { HookPayload } from './hook-payload.ts'

// One small file per session in the state folder: it exists since the first event, and holds the id of the bundle whose
// brief the session was given. Not every agent writes what a hook gives it to its log. The end of a session does not
// delete its file: a session that is resumed needs it again, and Cline would get a second brief after each task. A file
// is deleted 30 days after the last event of its session that used it.

const folder = 'begun'

/** Whether this is the first event of its session that asks. */
export function isFirstOfSession({ agent, session }: HookPayload): boolean {
  if (session === undefined) return false
  const path = join(statePlace(folder), nameOf(agent, session))
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    touch(path)
    return false
  }
  dropOldMarks(join(stateFolder(), folder), nameOf(agent, session))
  return true
}

/** Remembers whose brief a session was given. */
export function rememberBrief({ agent, session }: HookPayload, bundle: string): void {
  if (session === undefined) return
  const name = nameOf(agent, session)
  writeFileSync(join(statePlace(folder), name), bundle, { mode: 0o600 })
  dropOldMarks(join(stateFolder(), folder), name)
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
