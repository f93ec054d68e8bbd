import { createHash } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import {
  assertStorageKey,
  type PutCondition,
  type Storage,
  StorageConflictError,
} from '@tenfold/core/storage'
import { assertWritable } from './assert-writable.ts'
import { blockingFileSystem } from './blocking-file-system.ts'
import { durableFolders } from './durable-folders.ts'
import type { FileStorageOptions } from './file-storage-options.ts'
import { errorCode, type FileSystem, realFileSystem } from './file-system.ts'
import { missingHints } from './git-hints.ts'
import { kindOf, listFiles } from './list-files.ts'
import { unlinkIfThere } from './lock/lock-file.ts'
import { defaultLockTimes, withLock } from './lock/with-lock.ts'
import { readWhole } from './read-file.ts'
import { type StagedFile, stageFile } from './staged-file.ts'
import { storageFailure } from './storage-failure.ts'
import { sweepFolder } from './sweep-temporaries.ts'
import { assertTruePath, caseError, comparePath, linkError } from './true-path.ts'
import { removeTemporary, syncFolder, writeTemporary } from './write-file-durably.ts'

// Errors of link(2) on file systems without hard links.
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'ENOSYS', 'EMLINK'])

/**
 * A storage of files below `root`, one for each key. A put writes and syncs a temporary file next to its target,
 * renames it atomically and syncs the folder: readers see the old bytes or the new ones, and a put that returned
 * survives a crash.
 *
 * The rule for writers: `ifAbsent` links the name, and the file system lets one writer win. Every other put and delete
 * holds the key's lock, so that none falls between the check and the rename of an `ifMatch`. An `ifAbsent` that finds
 * the key taken makes it durable, because its writer may have been killed before doing so.
 *
 * A new root gets a `.gitignore` that keeps it out of commits (with `shared`, only its copies, archives, dumps, locks
 * and temporary files), and a `.gitattributes` that keeps Git from changing the bytes.
 *
 * Limits: the etag is the SHA-256 of the content, so `ifMatch` does not notice a value that changed and changed back:
 * put a number into such values. No key can be below another (`a` and `a/b`). If the file system folds case, a key that
 * differs from a stored one only in case is refused. Symbolic links below the root are refused, but this does not stop
 * an attacker who can write there at the same moment. Throws only StorageError and StorageConflictError.
 */
export function fileStorage(root: string, options: FileStorageOptions = {}): Storage {
  return createFileStorage(root, options.blocking ? blockingFileSystem : realFileSystem, options)
}

/** `fileStorage` over any file system, so that tests can record calls or make them fail. */
export function createFileStorage(root: string, fs: FileSystem, options: FileStorageOptions = {}): Storage {
  const base = resolve(root)
  const lockTimes = { ...defaultLockTimes, ...options.lockTimes }
  const folders = durableFolders(fs, base)
  let prepared: Promise<void> | undefined

  async function read(path: string): Promise<Uint8Array | undefined> {
    try {
      const found = await kindOf(fs, path)
      if (found === undefined || found.isDirectory()) return undefined
      if (!found.isFile()) throw linkError(path)
      const place = await comparePath(fs, base, path)
      if (place === 'link') throw linkError(path)
      return place === 'same' ? await readWhole(fs, path) : undefined
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** Housekeeping before the first put. A failure here does not fail the put, which reports its own errors. */
  async function prepareRoot(): Promise<void> {
    try {
      await sweepFolder(fs, base)
      const isShared = options.shared === true
      for (const { path, bytes } of await missingHints(fs, base, { isShared }))
        await putFile('', path, bytes, { ifAbsent: true })
    } catch {
      // The put reports its own errors.
    }
  }

  async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      await folders.ensure(folder)
      try {
        await assertTruePath(fs, base, folder)
        return await run()
      } catch (error) {
        // Another process removed the folder after it was created.
        if (errorCode(error) !== 'ENOENT' || attempt > 0) throw error
        folders.forget()
      }
    }
  }

  /** Throws if the name is taken, after syncing the existing file, whose writer may have died before doing so. */
  async function assertAbsent(key: string, path: string): Promise<void> {
    const found = await kindOf(fs, path)
    if (found === undefined) return
    if (found.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR' })
    const folder = dirname(path)
    await assertTruePath(fs, base, folder)
    if (found.isFile()) await assertSpelling(path)
    await syncFolder(fs, folder)
    throw conflict(key, path, 'exists already')
  }

  /** Throws if the file system folds case and the path has the bytes of a differently spelled key. */
  async function assertSpelling(path: string): Promise<void> {
    const found = await kindOf(fs, path)
    if (!found?.isFile() || (await comparePath(fs, base, path)) !== 'other-case') return
    throw caseError(basename(await fs.realpath(path)))
  }

  /** Publishes the file under the lock, if `look` does not throw. */
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
        if (ifMatch === undefined) return await assertSpelling(path)
        const current = await read(path)
        if (current === undefined) throw conflict(key, path, 'does not exist')
        if (etagOf(current) !== ifMatch) throw conflict(key, path, 'was changed meanwhile')
      })
    }
    try {
      await fs.link(temporary, path)
    } catch (error) {
      const code = errorCode(error)
      if (code === 'EEXIST') {
        await assertAbsent(key, path)
        throw conflict(key, path, 'existed a moment ago')
      }
      if (code === undefined || !noLinks.has(code)) throw error
      return await replace(key, temporary, path, () => assertAbsent(key, path))
    }
    await removeTemporary(fs, temporary)
  }

  async function putFile(
    key: string,
    path: string,
    bytes: Uint8Array,
    condition: PutCondition,
  ): Promise<void> {
    const folder = dirname(path)
    const temporary = await inFolder(folder, () => writeTemporary(fs, folder, basename(path), bytes))
    try {
      await publish(key, temporary, path, condition)
    } catch (error) {
      await removeTemporary(fs, temporary)
      throw error
    }
    await syncFolder(fs, folder)
  }

  async function putStaged(
    key: string,
    path: string,
    staged: StagedFile,
    condition: PutCondition,
  ): Promise<{ readonly etag: string }> {
    const folder = dirname(path)
    try {
      if (condition.ifAbsent === true) await assertAbsent(key, path)
      const etag = await staged.finish()
      await inFolder(folder, () => publish(key, staged.path, path, condition))
      await syncFolder(fs, folder)
      return { etag }
    } catch (error) {
      await staged.discard()
      throw error
    }
  }

  return {
    name: `fs:${base}`,
    folder: base,
    async get(key) {
      assertStorageKey(key)
      const path = join(base, key)
      const bytes = await named('read', key, path, () => read(path))
      return bytes && { bytes, etag: etagOf(bytes) }
    },
    async put(key, bytes, condition = {}) {
      assertStorageKey(key)
      const path = join(base, key)
      const copy = Uint8Array.from(bytes)
      await named('write', key, path, async () => {
        prepared ??= prepareRoot()
        await prepared
        // Avoids writing a file that cannot win. The link decides.
        if (condition.ifAbsent === true) await assertAbsent(key, path)
        await putFile(key, path, copy, condition)
      })
      return { etag: etagOf(copy) }
    },
    async stage(prefix) {
      const folderKey = prefix.replace(/\/$/, '')
      assertStorageKey(folderKey)
      const folder = join(base, folderKey)
      const staged = await named('write', prefix, folder, async () => {
        prepared ??= prepareRoot()
        await prepared
        return await inFolder(folder, () => stageFile(fs, folder))
      })
      return {
        write: (bytes) => named('write', prefix, staged.path, () => staged.write(bytes)),
        discard: () => staged.discard(),
        async put(key, condition = {}) {
          assertStorageKey(key)
          const path = join(base, key)
          return await named('write', key, path, () => putStaged(key, path, staged, condition))
        },
      }
    },
    async assertWritable(key) {
      assertStorageKey(key)
      const path = join(base, key)
      await named('write', key, path, () => assertWritable(fs, path))
    },
    async *list(prefix, options) {
      try {
        for await (const files of listFiles(fs, base, prefix, options)) yield* files
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
        const place = await comparePath(fs, base, folder)
        if (place === 'link') throw linkError(folder)
        if (place === 'other-case' || (found.isFile() && (await comparePath(fs, base, path)) !== 'same'))
          return
        await withLock(fs, path, key, () => unlinkIfThere(fs, path), lockTimes)
        await syncFolder(fs, folder)
      } catch (cause) {
        // The folder was removed meanwhile, with the file.
        if (errorCode(cause) === 'ENOENT') return
        throw storageFailure('delete', key, path, cause)
      }
    },
  }
}

/** Runs a call. Its errors name the key. */
async function named<T>(
  deed: 'read' | 'write',
  key: string,
  path: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    throw storageFailure(deed, key, path, cause)
  }
}

function etagOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function conflict(key: string, path: string, reason: string): StorageConflictError {
  return new StorageConflictError(key, `${path} ${reason}`)
}
