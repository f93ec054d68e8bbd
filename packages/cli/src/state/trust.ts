import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { hasTexts, readJson, readTextNow } from '../terminal/regular-file.ts'
import { errorCode, unlessRefused } from '../terminal/thrown.ts'

/**
 * A store, whose briefs hooks give to agents, or a config file that is used although anyone may have put it into the
 * project. Kept in the state folder, where no repository can write.
 */
interface Trusted {
  readonly place: string
  readonly since: string
  /** `made`: tenfold created the store on this machine; `user`: the user trusted it with `tenfold trust`. */
  readonly by: 'made' | 'user'
  /** Digest of a config file and the files it names. With other contents, it is no longer trusted. */
  readonly digest?: string
}

export function trustOf(place: string): Trusted | undefined {
  return readTrust(trustPath(place, 'json'))
}

export function allTrusted(): Trusted[] {
  const trusted = stateFiles('trusted', /\.json$/).flatMap((path) => readTrust(path) ?? [])
  return trusted.sort((a, b) => (a.place < b.place ? -1 : 1))
}

export function trust(place: string, by: Trusted['by'], digest?: string): Trusted {
  const known = trustOf(place)
  if (known !== undefined && digest === undefined) return known
  const since = new Date().toISOString()
  const trusted: Trusted = { place: realPlace(place), since, by, ...(digest !== undefined && { digest }) }
  writeState(trustPath(place, 'json'), trusted)
  return trusted
}

export function distrust(place: string): boolean {
  if (trustOf(place) === undefined) return false
  rmSync(trustPath(place, 'json'), { force: true })
  return true
}

/** Records what was saved on this machine or present when the user trusted the store, unlike what `git pull` adds. */
export function rememberSaved(store: string, lines: readonly string[]): void {
  statePlace('trusted')
  appendFileSync(trustPath(store, 'saved'), lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
}

export function savedIn(store: string): ReadonlySet<string> {
  return new Set(unlessRefused(() => readTextNow(trustPath(store, 'saved')), '').split('\n'))
}

export function savedLine(key: string, bytes: Uint8Array): string {
  return `${key} ${createHash('sha256').update(bytes).digest('hex')}`
}

export function isRemoteStore(store: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(store)
}

export function holdsStore(store: string): boolean {
  const names = ['tracks', 'bundles', 'checkpoints', 'archive', 'dumps']
  const isThere = (path: string) => unlessRefused(() => lstatSync(path), undefined) !== undefined
  const isDangling = !existsSync(store) && isThere(store)
  return isDangling || names.some((name) => isThere(join(store, name)))
}

function readTrust(path: string): Trusted | undefined {
  // A file that is missing or that a killed process left incomplete does not establish trust.
  const value = readJson(path)
  return isTrust(value) && trustPath(value.place, 'json') === path ? value : undefined
}

function isTrust(value: unknown): value is Trusted {
  if (!hasTexts(value, ['place', 'since', 'by'])) return false
  return ['made', 'user'].includes(value.by) && ['undefined', 'string'].includes(typeof value.digest)
}

function trustPath(place: string, ending: 'json' | 'saved'): string {
  const name = createHash('sha256').update(realPlace(place)).digest('hex').slice(0, 32)
  return join(stateFolder(), 'trusted', `${name}.${ending}`)
}

/** Resolves symbolic links as far as the path exists: a store's folder is created by its first write. */
function realPlace(store: string): string {
  const path = resolve(store)
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if (errorCode(error) === undefined || parent === path) throw error
    return join(realPlace(parent), basename(path))
  }
}

/** `TENFOLD_HOME`, otherwise `$XDG_STATE_HOME/tenfold`, otherwise `~/.local/state/tenfold`. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TENFOLD_HOME) return resolve(env.TENFOLD_HOME)
  const { XDG_STATE_HOME: xdg } = env
  // A relative path must be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
  return join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state'), 'tenfold')
}

/** Creates a folder in the state folder that only this user can read, and returns its path. */
export function statePlace(...parts: string[]): string {
  const path = join(stateFolder(), ...parts)
  makeFolder(path)
  return path
}

/** Creates a folder and its parents. With `recursive`, Node 20 never returns if that is impossible, as below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it first.
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

export function stateFiles(folder: string, names: RegExp): string[] {
  const place = join(stateFolder(), folder)
  const found = unlessRefused(() => readdirSync(place), [], 'ENOENT')
  return found.filter((name) => names.test(name)).map((name) => join(place, name))
}

/** Writes a JSON file atomically. With `durable`, it is on the disk when this returns. */
export function writeState(path: string, value: unknown, durable = false): void {
  const folder = dirname(path)
  makeFolder(folder)
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
  writeFileSync(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600, flush: durable })
  renameSync(temporary, path)
  // Windows cannot open folders; NTFS journals the names.
  if (!durable || process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
