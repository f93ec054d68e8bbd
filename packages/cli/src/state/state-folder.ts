import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode, unlessRefused } from '../terminal/thrown.ts'

/** `TENFOLD_HOME`, otherwise `$XDG_STATE_HOME/tenfold`, otherwise `~/.local/state/tenfold`. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TENFOLD_HOME) return resolve(env.TENFOLD_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // A relative path must be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state'), 'tenfold')
}

/** Only this user can read it. */
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

/** The files of a folder of the state, by their names; none if there is no such folder yet. */
export function stateFiles(folder: string, names: RegExp): string[] {
  const place = join(stateFolder(), folder)
  const found = unlessRefused(() => readdirSync(place), [], 'ENOENT')
  return found.filter((name) => names.test(name)).map((name) => join(place, name))
}

/** Writes a file of JSON that is always whole; with `durable` it is on the disk when this returns. */
export function writeState(path: string, value: unknown, durable = false): void {
  const folder = dirname(path)
  makeFolder(folder)
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
  writeFileSync(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600, flush: durable })
  renameSync(temporary, path)
  // Windows cannot open folders, and keeps names in its journal.
  if (!durable || process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
