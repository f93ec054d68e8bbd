import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { FileSystem, OpenFile } from './file-system.ts'

/** Name of a temporary file: `.<name>.<16 hex>.tmp`. No key has a segment that begins with a dot. */
export const temporaryName = /^\..+\.[0-9a-f]{16}\.tmp$/

/**
 * Writes bytes to a new temporary file in `folder` and returns its path once they are on the disk; the caller renames
 * it. Leaves nothing behind after a failure. Does not retry a failed fsync, after which the kernel may have dropped the
 * pages (https://lwn.net/Articles/752063/).
 */
export async function writeTemporary(
  fs: FileSystem,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<string> {
  const { path, file } = await openTemporary(fs, folder, name)
  try {
    await closing(file, async () => {
      await writeAll(file, bytes)
      await syncWhole(file, bytes.byteLength)
    })
    return path
  } catch (error) {
    await removeTemporary(fs, path)
    throw error
  }
}

export async function openTemporary(
  fs: FileSystem,
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly file: OpenFile }> {
  const path = join(folder, `.${name}.${randomBytes(8).toString('hex')}.tmp`)
  return { path, file: await fs.open(path, 'wx', 0o600) }
}

/** Syncs a file and checks that it has `bytes` bytes. */
export async function syncWhole(file: OpenFile, bytes: number): Promise<void> {
  await file.sync()
  const { size } = await file.stat()
  if (size !== bytes) throw new Error(`${size} of ${bytes} bytes arrived in the file`)
}

/** Removes an abandoned temporary file. Retries once, because a virus scanner may hold the file. */
export async function removeTemporary(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path).catch(() => fs.unlink(path))
  } catch {
    // The original failure matters more, and the next sweep removes the file.
  }
}

/**
 * Makes the names in a folder durable. Skipped on Windows, which cannot open folders and keeps names in its journal.
 */
export async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await fs.open(folder, 'r')
  await closing(handle, () => handle.sync())
}

/** Runs, then closes the file. An error of `run` takes precedence over one of `close`. */
export async function closing<T>(file: OpenFile, run: () => Promise<T>): Promise<T> {
  let result: T
  try {
    result = await run()
  } catch (error) {
    await file.close().catch(() => undefined)
    throw error
  }
  await file.close()
  return result
}

/** Writes all bytes at an offset. A full disk may accept part of a write and fail only at the next one. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, place = 0): Promise<void> {
  let written = 0
  while (written < bytes.byteLength) {
    const left = bytes.byteLength - written
    const { bytesWritten } = await file.write(bytes, written, left, place + written)
    if (bytesWritten <= 0) throw Object.assign(new Error('a write took no bytes'), { code: 'ENOSPC' })
    written += bytesWritten
  }
}
