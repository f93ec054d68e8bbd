import { createHash } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { assertStorageKey, type PutCondition, type Storage, StorageConflictError } from '@tenfold/core'
import { durableFolders, linkError } from './durable-folders.ts'
import { errorCode, type FileSystem, realFileSystem } from './file-system.ts'
import { kindOf, listFiles } from './list-files.ts'
import { defaultLockTimes, type LockTimes, unlinkIfThere, withLock } from './lock-file.ts'
import { readWhole } from './read-file.ts'
import { storageFailure } from './storage-failure.ts'
import { sweepTemporaries } from './sweep-temporaries.ts'
import { removeTemporary, syncFolder, writeTemporary } from './write-file-durably.ts'

/** Options of `fileStorage`. */
export interface FileStorageOptions {
  /** The calls to use instead of `node:fs/promises`. @default the file system of this machine */
  readonly fs?: FileSystem
  /** How long a lock may stand. @default 10 s, and 30 s of waiting */
  readonly lockTimes?: Partial<LockTimes>
}

// File systems without hard links, by what link(2) answers there.
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'ENOSYS', 'EMLINK'])

/**
 * A storage of files below `root`, one for each key. A put writes and syncs a temporary file beside its target, gives it
 * the name in one step, and syncs the folder: readers see the old bytes or the new, and what returned survives a crash.
 *
 * The rule for writers: `ifAbsent` links the name, of which the file system lets one win; every other put and delete
 * of a key holds the key's lock, so that none falls between the look and the rename of an `ifMatch`.
 *
 * Limits: the etag is the SHA-256 of the content, so `ifMatch` does not notice a value that went and came back: put a
 * number into values that are swapped. No key can lie below another (`a` and `a/b`). Where the file system folds case,
 * keys that differ in case only are one. Symbolic links below the root are refused, except against an attacker who can
 * write there at the same moment. Throws StorageError and StorageConflictError only.
 */
export function fileStorage(root: string, options: FileStorageOptions = {}): Storage {
  const { fs = realFileSystem } = options
  const base = resolve(root)
  const lockTimes = { ...defaultLockTimes, ...options.lockTimes }
  const folders = durableFolders(fs, base)
  let swept: Promise<unknown> | undefined

  /** Refuses a folder that a link leads to: what is behind it may lie anywhere. */
  async function assertNoLink(folder: string): Promise<void> {
    const expected = join(await fs.realpath(base), folder.slice(base.length))
    if ((await fs.realpath(folder)) !== expected) throw linkError(folder)
  }

  async function read(path: string): Promise<Uint8Array | undefined> {
    try {
      const found = await kindOf(fs, path)
      if (found === undefined || found.isDirectory()) return undefined
      if (!found.isFile()) throw linkError(path)
      await assertNoLink(dirname(path))
      return await readWhole(fs, path)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  async function sweep(): Promise<void> {
    try {
      await sweepTemporaries(base, { fs })
    } catch {
      // Housekeeping: the put goes on, and says itself what is wrong with the folder.
    }
  }

  async function prepare(folder: string, name: string, bytes: Uint8Array): Promise<string> {
    for (let attempt = 0; ; attempt++) {
      await folders.ensure(folder)
      try {
        await assertNoLink(folder)
        return await writeTemporary(fs, folder, name, bytes)
      } catch (error) {
        // Somebody removed the folder after it was made.
        if (errorCode(error) !== 'ENOENT' || attempt > 0) throw error
        folders.forget()
      }
    }
  }

  async function assertAbsent(key: string, path: string): Promise<void> {
    if ((await kindOf(fs, path)) !== undefined) throw conflict(key, path, 'exists already')
  }

  /** Publishes under the lock; `look` decides whether it may. */
  async function replace(
    key: string,
    temporary: string,
    path: string,
    look: () => Promise<void>,
  ): Promise<void> {
    const swap = async (confirm: () => Promise<void>): Promise<void> => {
      await look()
      await confirm()
      await fs.rename(temporary, path)
    }
    await withLock(fs, path, key, swap, lockTimes)
  }

  async function publish(
    key: string,
    temporary: string,
    path: string,
    condition: PutCondition,
  ): Promise<void> {
    const { ifAbsent, ifMatch } = condition
    if (ifAbsent !== true) {
      return await replace(key, temporary, path, async () => {
        if (ifMatch === undefined) return
        const current = await read(path)
        if (current === undefined) throw conflict(key, path, 'does not exist')
        if (etagOf(current) !== ifMatch) throw conflict(key, path, 'was changed meanwhile')
      })
    }
    try {
      await fs.link(temporary, path)
    } catch (error) {
      const code = errorCode(error)
      if (code === 'EEXIST') throw conflict(key, path, 'exists already')
      if (code === undefined || !noLinks.has(code)) throw error
      return await replace(key, temporary, path, () => assertAbsent(key, path))
    }
    await removeTemporary(fs, temporary)
  }

  return {
    name: `fs:${base}`,
    async get(key) {
      assertStorageKey(key)
      const path = join(base, key)
      try {
        const bytes = await read(path)
        return bytes && { bytes, etag: etagOf(bytes) }
      } catch (cause) {
        throw storageFailure('read', key, path, cause)
      }
    },
    async put(key, bytes, condition = {}) {
      assertStorageKey(key)
      const path = join(base, key)
      const folder = dirname(path)
      const copy = Uint8Array.from(bytes)
      try {
        swept ??= sweep()
        await swept
        // Saves writing a file that cannot win; the link decides.
        if (condition.ifAbsent === true) await assertAbsent(key, path)
        const temporary = await prepare(folder, basename(path), copy)
        try {
          await publish(key, temporary, path, condition)
        } catch (error) {
          await removeTemporary(fs, temporary)
          throw error
        }
        await syncFolder(fs, folder)
        return { etag: etagOf(copy) }
      } catch (cause) {
        throw storageFailure('write', key, path, cause)
      }
    },
    async *list(prefix) {
      try {
        yield* listFiles(fs, base, prefix)
      } catch (cause) {
        throw storageFailure('list', prefix, base, cause)
      }
    },
    async delete(key) {
      assertStorageKey(key)
      const path = join(base, key)
      const folder = dirname(path)
      try {
        const found = await kindOf(fs, path)
        if (found === undefined || found.isDirectory()) return
        await assertNoLink(folder)
        await withLock(fs, path, key, () => unlinkIfThere(fs, path), lockTimes)
        await syncFolder(fs, folder)
      } catch (cause) {
        // Its folder went meanwhile, and it with it.
        if (errorCode(cause) === 'ENOENT') return
        throw storageFailure('delete', key, path, cause)
      }
    },
  }
}

function etagOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function conflict(key: string, path: string, reason: string): StorageConflictError {
  return new StorageConflictError(key, `${path} ${reason}`)
}
