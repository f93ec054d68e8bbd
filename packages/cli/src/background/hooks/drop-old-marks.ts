import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, messageOf } from '../../terminal/thrown.ts'
import { logHook } from './hook-log.ts'

const maxAge = 30 * 24 * 60 * 60_000
/** A hook has little time: the next ones look at the rest. */
const maxLooks = 300

/**
 * Deletes the marks of sessions without an event for 30 days. Looks at no more than 300 files, those that follow `name`:
 * names are hashes, so each new session looks at other ones. Never throws: `hooks.log` records why it failed.
 */
export function dropOldMarks(folder: string, name: string): void {
  const oldest = Date.now() - maxAge
  try {
    const names = readdirSync(folder)
      .filter((each) => each !== name && /^[0-9a-f]{32}$/.test(each))
      .sort()
    const at = names.findIndex((each) => each > name)
    const inTurn = at === -1 ? names : [...names.slice(at), ...names.slice(0, at)]
    for (const each of inTurn.slice(0, maxLooks)) dropIfOlder(join(folder, each), oldest)
  } catch (error) {
    logHook({ fault: `old marks of sessions were not deleted: ${messageOf(error)}` })
  }
}

function dropIfOlder(path: string, oldest: number): void {
  try {
    if (statSync(path).mtimeMs < oldest) rmSync(path, { force: true })
  } catch (error) {
    // Another hook was faster.
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
