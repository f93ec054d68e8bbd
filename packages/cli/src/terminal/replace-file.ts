import { randomBytes } from 'node:crypto'
import { chmod, copyFile, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { linkedFile } from './linked-file.ts'
import { errorCode } from './thrown.ts'

/** Pieces of a file. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/**
 * Writes a file under a temporary name first, so that a file of this name is always complete. Mode and links are kept; a
 * device or a pipe is written to, never replaced. Throws the error of the system.
 */
export async function replaceFile(path: string, pieces: Pieces, signal?: AbortSignal): Promise<void> {
  const { target, mode } = await placeOf(path)
  const temporary = join(dirname(target ?? path), `.${randomBytes(8).toString('hex')}.tmp`)
  const file = target === undefined ? undefined : await open(temporary, 'wx').catch(() => undefined)
  // Some folders let nobody add a file, but let a file in them be written.
  if (target === undefined || file === undefined) return await writeFile(path, pieces, { signal })
  try {
    await pipeline(Readable.from(pieces), file.createWriteStream(), { signal })
    if (mode !== undefined) await chmod(temporary, mode)
    // A file that is mounted by itself cannot be renamed over.
    await rename(temporary, target).catch(() => copyFile(temporary, target))
  } finally {
    await rm(temporary, { force: true })
  }
}

interface Place {
  /** The file to replace; undefined for a device or a pipe. */
  readonly target?: string
  readonly mode?: number
}

async function placeOf(path: string): Promise<Place> {
  try {
    const found = await stat(path)
    return found.isFile() ? { target: await realpath(path), mode: found.mode & 0o7777 } : {}
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { target: await linkedFile(path) }
    throw error
  }
}
