import { createHash, randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StorageError } from '@tenfold/core'
import { errorCode, type FileSystem } from './file-system.ts'
import { hasEnded, type ProcessIdentity, thisProcess } from './process-identity.ts'
import { readWhole } from './read-file.ts'
import { closing, removeTemporary, writeAll } from './write-file-durably.ts'

/** Name of a claim to break the lock `.<name>.lock`: `.<name>.lock.<16 hex>`. */
export const lockClaimName = /^\..+\.lock\.[0-9a-f]{16}$/

/** Times in milliseconds, of a monotonic clock. */
export interface LockTimes {
  /** A lock that a waiter saw unchanged for this long is broken. It is held for a few calls only. @default 10_000 */
  readonly staleAfter: number
  /** Waiting ends with an error after this long. @default 30_000 */
  readonly giveUpAfter: number
}

export const defaultLockTimes: LockTimes = { staleAfter: 10_000, giveUpAfter: 30_000 }

// A lock is empty between its creation and its content; a process killed at that moment leaves it so.
const emptyStaleAfter = 1_000

/**
 * Runs `run` while this process alone holds the lock file of `target`, created with O_EXCL and naming its owner. The
 * lock of a process that has certainly ended is broken at once, any other after `staleAfter`. `run` calls `confirm`
 * right before its change: it throws if others broke the lock because it was held too long.
 */
export async function withLock<T>(
  fs: FileSystem,
  target: string,
  key: string,
  run: (confirm: () => Promise<void>) => Promise<T>,
  times: LockTimes = defaultLockTimes,
): Promise<T> {
  const path = join(dirname(target), `.${basename(target)}.lock`)
  const mine = JSON.stringify({ token: randomBytes(8).toString('hex'), ...thisProcess() })
  await acquire(fs, path, key, mine, times)
  try {
    return await run(async () => {
      if ((await readLock(fs, path)) === mine) return
      throw new StorageError(key, `the lock ${path} was broken while it was held; try again`, {
        retryable: true,
      })
    })
  } finally {
    await release(fs, path, mine)
  }
}

/** Never throws: the outcome of the change is already settled, and a lock that remains is broken as stale. */
async function release(fs: FileSystem, path: string, mine: string): Promise<void> {
  const remove = async (): Promise<void> => {
    if ((await readLock(fs, path)) === mine) await fs.unlink(path)
  }
  // Tried twice, as others would wait for the lock until it is stale.
  await remove().catch(() => remove().catch(() => undefined))
}

async function acquire(
  fs: FileSystem,
  path: string,
  key: string,
  mine: string,
  times: LockTimes,
): Promise<void> {
  const start = performance.now()
  let seen: string | undefined
  let seenSince = start
  while (!(await create(fs, path, mine))) {
    const now = performance.now()
    const holder = await readLock(fs, path)
    if (holder !== seen) {
      seen = holder
      seenSince = now
    }
    if (holder !== undefined && isStale(holder, now - seenSince, times))
      await breakLock(fs, path, holder, times)
    else if (now - start > times.giveUpAfter)
      throw new StorageError(key, `${path} was held by others for ${Math.round(now - start)} ms; try again`, {
        retryable: true,
      })
    else await sleep(1 + Math.random() * 10)
  }
}

async function create(fs: FileSystem, path: string, content: string): Promise<boolean> {
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

function isStale(holder: string, unchangedFor: number, times: LockTimes): boolean {
  if (unchangedFor > times.staleAfter) return true
  const owner = parseOwner(holder)
  return owner === undefined ? unchangedFor > Math.min(emptyStaleAfter, times.staleAfter) : hasEnded(owner)
}

/**
 * Removes the lock that `holder` left behind. Only one of the processes that want to break this lock may do so, through
 * a claim named after its content, and it checks the lock again first: so nobody removes the lock of the next owner by
 * mistake.
 */
async function breakLock(fs: FileSystem, path: string, holder: string, times: LockTimes): Promise<void> {
  const claim = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!(await create(fs, claim, ''))) {
    const made = await modifiedAt(fs, claim)
    // The process that claimed it was killed in turn.
    if (made !== undefined && Date.now() - made > times.staleAfter) await unlinkIfThere(fs, claim)
    await sleep(1 + Math.random() * 10)
    return
  }
  try {
    if ((await readLock(fs, path)) === holder) await unlinkIfThere(fs, path)
  } finally {
    await removeTemporary(fs, claim)
  }
}

/** Content of a lock; empty for a link or a pipe in its place, undefined if there is none. */
async function readLock(fs: FileSystem, path: string): Promise<string | undefined> {
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

function parseOwner(text: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
      return undefined
    return { pid: value.pid, ...('host' in value && typeof value.host === 'string' && { host: value.host }) }
  } catch {
    // Empty or partly written: its owner was killed between creation and content.
    return undefined
  }
}

async function modifiedAt(fs: FileSystem, path: string): Promise<number | undefined> {
  try {
    return (await fs.lstat(path)).mtimeMs
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Removes a file; a missing file is no error. */
export async function unlinkIfThere(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}
