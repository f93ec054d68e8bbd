import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode } from '../terminal/thrown.ts'

/**
 * Where tenfold keeps what belongs to no project: queue, digests of processed logs, locks, the log of the hooks.
 * `TENFOLD_HOME`, otherwise `$XDG_STATE_HOME/tenfold`, otherwise `~/.local/state/tenfold`.
 */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TENFOLD_HOME) return resolve(env.TENFOLD_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // A relative path must be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state'), 'tenfold')
}

/** A folder of the state that only this user can read; created if it is missing. */
export function statePlace(...parts: string[]): string {
  const path = join(stateFolder(), ...parts)
  makeFolder(path)
  return path
}

/** Creates a folder. Not `recursive`: if folders cannot be created, such as below /proc, Node 20 would never return. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (errorCode(error) !== 'EEXIST') throw error
  }
}
