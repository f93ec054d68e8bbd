import { createHash, randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { stateFolder, statePlace } from '../../../state/state-folder.ts'
import { asObject, readJson, readTextNow } from '../../../terminal/regular-file.ts'
import { linkedFile } from '../../../terminal/replace-file.ts'
import { errorCode, messageOf } from '../../../terminal/thrown.ts'

export async function readSettingsFile(path: string): Promise<string | undefined> {
  try {
    return readTextNow(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/**
 * Replaces the content of a file, or leaves it unchanged: a temporary file next to it takes its name. The mode is kept,
 * and for a link the file that it points to is replaced.
 */
export async function writeSettingsFile(path: string, text: string, newMode: number): Promise<void> {
  const target = await linkedFile(path)
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  const mode = (await modeOf(target)) ?? newMode
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await chmod(temporary, mode)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

export function missingFolder(path: string): string | undefined {
  let folder = dirname(resolve(path))
  if (existsSync(folder)) return undefined
  while (!existsSync(dirname(folder))) folder = dirname(folder)
  return folder
}

/**
 * Removes a file that was created only for the hooks, but not a link to it, and the folders that were created for it,
 * from `made` down, if nothing else is in them by now.
 */
export async function removeSettingsFile(path: string, made?: string): Promise<void> {
  await rm(await linkedFile(path), { force: true })
  if (made === undefined) return
  for (let folder = dirname(resolve(path)); folder.startsWith(made); folder = dirname(folder)) {
    try {
      await rmdir(folder)
    } catch (error) {
      // Somebody put something into it, or removed it.
      if (errorCode(error) !== undefined) return
      throw error
    }
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o7777
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}

/**
 * Record of what an installation created in a settings file besides the hooks, so that removal can restore the file.
 */
export interface InstallRecord {
  readonly path: string
  /** The file itself did not exist. */
  readonly created: boolean
  readonly made: readonly string[]
  readonly folder?: string
}

export function readRecord(path: string): InstallRecord | undefined {
  const { made, created, folder } = asObject(readJson(recordPath(path))) ?? {}
  // Without a record, only what is certainly tenfold's is removed.
  if (!Array.isArray(made)) return undefined
  return {
    path: resolve(path),
    created: created === true,
    made: made.filter((place) => typeof place === 'string'),
    ...(typeof folder === 'string' && { folder }),
  }
}

export function writeRecord(path: string, record: Omit<InstallRecord, 'path'>): void {
  const text = `${JSON.stringify({ path: resolve(path), ...record }, null, 2)}\n`
  statePlace('installed')
  writeFileSync(recordPath(path), text, { mode: 0o600 })
}

export function removeRecord(path: string): void {
  rmSync(recordPath(path), { force: true })
}

function recordPath(path: string): string {
  const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 32)
  return join(stateFolder(), 'installed', `${name}.json`)
}

interface FileWork {
  readonly path: string
  readonly done: 'read' | 'written' | 'removed'
  readonly advice: string
}

/** Runs work on a file. Throws TenfoldError `out-failed` that names the file and says what to do if the system refuses. */
export async function withAdvice<T>({ path, done, advice }: FileWork, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    if (TenfoldError.isInstance(cause) || errorCode(cause) === undefined) throw cause
    const message = `${cleanLine(path)} cannot be ${done}: ${messageOf(cause)}. ${advice}`
    throw new TenfoldError('out-failed', message, { cause })
  }
}

export function inState<T>(run: () => T | Promise<T>): Promise<T> {
  const advice = 'Set TENFOLD_HOME to a folder that you can write to, also where the agent starts.'
  return withAdvice({ path: stateFolder(), done: 'written', advice }, run)
}
