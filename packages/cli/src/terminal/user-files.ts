import { randomBytes } from 'node:crypto'
import {
  chmod,
  copyFile,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { errorCode, messageOf } from './thrown.ts'

export async function readGivenFile(path: string, what: string, code: TenfoldError['code']): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new TenfoldError(code, `${what} ${cleanLine(path)} cannot be read: ${reasonOf(cause)}.`, { cause })
  }
}

const reasons = new Map([
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'you may not access it'],
  ['EPERM', 'you may not access it'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
])

export function reasonOf(error: unknown): string {
  return reasons.get(errorCode(error) ?? '') ?? messageOf(error)
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

interface ReplaceOptions {
  readonly signal?: AbortSignal
  readonly mode?: number
}

/** Replaces a file atomically and keeps its mode and links. Writes to a device or a pipe, without replacing it. */
export async function replaceFile(path: string, pieces: Pieces, options: ReplaceOptions = {}): Promise<void> {
  const { signal } = options
  const { target, mode } = await placeOf(path)
  const temporary = join(dirname(target ?? path), `.${randomBytes(8).toString('hex')}.tmp`)
  const file =
    target === undefined ? undefined : await open(temporary, 'wx', options.mode).catch(() => undefined)
  // In some folders, files cannot be added but can be written.
  if (target === undefined || file === undefined) return await writeFile(path, pieces, { signal })
  try {
    await pipeline(Readable.from(pieces), file.createWriteStream({ flush: true }), { signal })
    if (mode !== undefined) await chmod(temporary, mode)
    // A mounted file cannot be replaced by renaming.
    await rename(temporary, target).catch(() => copyFile(temporary, target))
  } finally {
    await rm(temporary, { force: true })
  }
}

/** The file to replace, and its mode. Without a target for a device or a pipe. */
async function placeOf(path: string): Promise<{ readonly target?: string; readonly mode?: number }> {
  try {
    const found = await stat(path)
    return found.isFile() ? { target: await realpath(path), mode: found.mode & 0o7777 } : {}
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { target: await linkedFile(path) }
    throw error
  }
}

/** The file that a path means. A link means its target, even if that does not exist yet. */
export async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  try {
    return await linkedFile(resolve(dirname(path), await readlink(path)))
  } catch (error) {
    // The path is not a link, or nothing is there.
    if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(errorCode(error) ?? '')) return resolve(path)
    throw error
  }
}

interface OutputOptions extends ReplaceOptions {
  readonly what?: string
  readonly after?: string
  readonly inFolder?: true
}

export async function writeOutput(path: string, pieces: Pieces, given: OutputOptions = {}): Promise<void> {
  const { what = 'The output', after = '', inFolder, ...options } = given
  try {
    if (inFolder) await mkdir(dirname(path), { recursive: true })
    await replaceFile(path, pieces, options)
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause
    const message = `${what} cannot be written to ${cleanLine(path)}: ${reasonOf(cause)}${after}.`
    throw new TenfoldError('out-failed', message, { cause })
  }
}

/** Runs work on a file. If the system refuses, throws TenfoldError `out-failed` with the file and the advice. */
export async function withAdvice<T>(
  { path, done, advice }: { path: string; done: 'read' | 'written' | 'removed'; advice: string },
  run: () => T | Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    if (TenfoldError.isInstance(cause) || errorCode(cause) === undefined) throw cause
    const message = `${cleanLine(path)} cannot be ${done}: ${messageOf(cause)}. ${advice}`
    throw new TenfoldError('out-failed', message, { cause })
  }
}
