import { createHash } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { stateFolder, statePlace } from '../../../state/state-folder.ts'
import { asObject, readJson, readTextNow } from '../../../terminal/regular-file.ts'
import { linkedFile, replaceFile } from '../../../terminal/replace-file.ts'
import { errorCode, messageOf, unlessRefused } from '../../../terminal/thrown.ts'

export function readSettingsFile(path: string): string | undefined {
  return unlessRefused(() => readTextNow(path), undefined, 'ENOENT')
}

/** Replaces the content of a file, or leaves it unchanged. Its mode is kept, and the link to it. */
export async function writeSettingsFile(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(await linkedFile(path)), { recursive: true, mode: 0o755 })
  await replaceFile(path, [text], { mode })
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

/** What an installation created besides the hooks: the file itself, and folders from the named one down. */
interface InstallRecord {
  readonly created: boolean
  readonly folder: string | undefined
}

export function readRecord(path: string): InstallRecord | undefined {
  const { created, folder } = asObject(readJson(recordPath(path))) ?? {}
  if (typeof created !== 'boolean') return undefined
  return { created, folder: typeof folder === 'string' ? folder : undefined }
}

export function writeRecord(path: string, record: InstallRecord): void {
  statePlace('installed')
  const text = `${JSON.stringify({ path: resolve(path), ...record }, null, 2)}\n`
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
