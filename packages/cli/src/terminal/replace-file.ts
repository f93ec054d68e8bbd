import { randomBytes } from 'node:crypto'
import { chmod, copyFile, open, readlink, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TenfoldError } from '@tenfold/core'
import { errorCode } from './thrown.ts'

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

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

/** The file that a path stands for: of a link the one that it points to, also if that is not there yet. */
export async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  const link = await linkOf(path)
  return link === undefined ? resolve(path) : await linkedFile(resolve(dirname(path), link))
}

async function linkOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    // It is no link, or nothing is there.
    if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

/** Writes the output of a command as {@link replaceFile} does. Throws TenfoldError `out-failed`. */
export async function writeWhole(path: string, pieces: Pieces, signal: AbortSignal): Promise<void> {
  try {
    await replaceFile(path, pieces, signal)
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new TenfoldError('out-failed', `The output cannot be written: ${cause.message}.`, { cause })
  }
}
