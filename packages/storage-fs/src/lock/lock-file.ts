import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, type FileSystem } from '../file-system.ts'
import { readWhole } from '../read-file.ts'
import { closing, removeTemporary, writeAll } from '../write-file-durably.ts'

/** Name of the file that claims the right to break the lock `.<name>.lock`: `.<name>.lock.<16 hex>`. */
export const lockClaimName = /^\..+\.lock\.[0-9a-f]{16}$/

/** Creates a lock with O_EXCL. False if it exists. */
export async function createLock(fs: FileSystem, path: string, content: string): Promise<boolean> {
  let file: Awaited<ReturnType<FileSystem['open']>>
  try {
    file = await fs.open(path, 'wx', 0o600)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
  const bytes = new TextEncoder().encode(content)
  try {
    await closing(file, () => writeAll(file, bytes))
    return true
  } catch (error) {
    await removeTemporary(fs, path)
    throw error
  }
}

/**
 * Removes the lock that `holder` left behind. Of several processes, only the one that creates a claim file, named after
 * the lock's content, may do so. It checks the lock again first, so that the next owner's lock is never removed. A
 * claim untouched for `claimStaleAfter` milliseconds is removed.
 */
export async function breakLock(
  fs: FileSystem,
  path: string,
  holder: string,
  claimStaleAfter: number,
): Promise<void> {
  const claim = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await createLock(fs, claim, ''))) {
    const made = await modifiedAt(fs, claim)
    // The process with the claim was itself killed.
    if (made !== undefined && Date.now() - made > claimStaleAfter) await unlinkIfThere(fs, claim)
    await sleep(1 + Math.random() * 10)
    return
  }
  try {
    if ((await readLock(fs, path)) === holder) await unlinkIfThere(fs, path)
  } finally {
    await removeTemporary(fs, claim)
  }
}

/** Content of a lock. Empty if there is a link or a pipe instead, undefined if there is nothing. */
export async function readLock(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    const found = await fs.lstat(path)
    if (found.isDirectory()) throw new Error(`${path} is a folder in the place of a lock; remove it`)
    if (!found.isFile()) return ''
    return new TextDecoder().decode(await readWhole(fs, path))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** When a file was last modified, in milliseconds since 1970. Undefined if it does not exist. */
export async function modifiedAt(fs: FileSystem, path: string): Promise<number | undefined> {
  try {
    return (await fs.lstat(path)).mtimeMs
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export async function unlinkIfThere(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
