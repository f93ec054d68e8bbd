import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { linkedFile } from '../../../terminal/linked-file.ts'
import { readTextNow } from '../../../terminal/regular-file.ts'
import { errorCode } from '../../../terminal/thrown.ts'

/** The text of a file; undefined if there is none. */
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

/** The topmost folder that has to be created for a file; undefined if its folder exists. */
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
