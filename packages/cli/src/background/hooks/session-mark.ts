import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolder, statePlace } from '../../state/state-folder.ts'
import { errorCode } from '../../terminal/thrown.ts'
import type { HookPayload } from './hook-payload.ts'

// One small file per session in the state folder: it exists since the first event, and holds the id of the bundle whose
// brief the session was given. Not every agent writes what a hook gives it to its log.

const folder = 'begun'

/** Whether this is the first event of its session that asks. */
export function isFirstOfSession({ agent, session }: HookPayload): boolean {
  if (session === undefined) return false
  try {
    closeSync(openSync(join(statePlace(folder), nameOf(agent, session)), 'wx', 0o600))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Remembers whose brief a session was given. */
export function rememberBrief({ agent, session }: HookPayload, bundle: string): void {
  if (session === undefined) return
  writeFileSync(join(statePlace(folder), nameOf(agent, session)), bundle, { mode: 0o600 })
}

/** Id of the bundle whose brief a session was given; undefined if it was given none. */
export function briefOf({ agent, session }: HookPayload): string | undefined {
  if (session === undefined) return undefined
  try {
    const bundle = readFileSync(join(stateFolder(), folder, nameOf(agent, session)), 'utf8')
    return bundle === '' ? undefined : bundle
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function nameOf(agent: string, session: string): string {
  return createHash('sha256').update(`${agent}\0${session}`).digest('hex').slice(0, 32)
}
