import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { statePlace } from '../../state/state-folder.ts'
import { errorCode } from '../../terminal/thrown.ts'
import type { HookPayload } from './hook-payload.ts'

/** Whether this is the first event of its session that asks; a marker in the state folder remembers that. */
export function isFirstOfSession({ agent, session }: HookPayload): boolean {
  if (session === undefined) return false
  const name = createHash('sha256').update(`${agent}\0${session}`).digest('hex').slice(0, 32)
  try {
    closeSync(openSync(join(statePlace('begun'), name), 'wx', 0o600))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}
