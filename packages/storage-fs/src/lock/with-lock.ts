import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded, newLock, ownerOf } from '@tenfold/core/internal/locks'
import { StorageError } from '@tenfold/core/storage'
import type { FileSystem } from '../file-system.ts'
import { breakLock, createLock, readLock } from './lock-file.ts'

/** Time limits in milliseconds, measured with a monotonic clock. */
export interface LockTimes {
  /** A lock that a waiter saw unchanged for this long is broken: locks are held for a few calls. @default 10_000 */
  readonly staleAfter: number
  /** Waiting ends with an error after this long. @default 30_000 */
  readonly giveUpAfter: number
}

export const defaultLockTimes: LockTimes = { staleAfter: 10_000, giveUpAfter: 30_000 }

// A process that is killed between creating and writing its lock leaves an empty file.
const emptyStaleAfter = 1_000

/**
 * Runs `run` while this process holds the lock file of `target`, created with O_EXCL and naming its owner. The lock of
 * a process that has certainly ended is broken at once, any other after `staleAfter`. `run` must call `confirm` right
 * before its change: it throws if another process broke the lock because it was held too long.
 */
export async function withLock<T>(
  fs: FileSystem,
  target: string,
  key: string,
  run: (confirm: () => Promise<void>) => Promise<T>,
  times: LockTimes = defaultLockTimes,
): Promise<T> {
  const path = join(dirname(target), `.${basename(target)}.lock`)
  const mine = newLock()
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

/** Never throws, because the change is already decided. A remaining lock will be broken as stale. */
async function release(fs: FileSystem, path: string, mine: string): Promise<void> {
  const remove = async (): Promise<void> => {
    if ((await readLock(fs, path)) === mine) await fs.unlink(path)
  }
  // Tried twice, because others would wait for a remaining lock until it is stale.
  await remove().catch(() => remove().catch(() => undefined))
}

async function acquire(
  fs: FileSystem,
  path: string,
  key: string,
  mine: string,
  times: LockTimes,
): Promise<void> {
  // Returns early, because the lock is usually free and the clock takes time to load.
  if (await createLock(fs, path, mine)) return
  const start = performance.now()
  let seen: string | undefined
  let seenSince = start
  while (!(await createLock(fs, path, mine))) {
    const now = performance.now()
    const holder = await readLock(fs, path)
    if (holder !== seen) {
      seen = holder
      seenSince = now
    }
    if (holder !== undefined && isStale(holder, now - seenSince, times))
      await breakLock(fs, path, holder, times.staleAfter)
    else if (now - start > times.giveUpAfter)
      throw new StorageError(key, `${path} was held by others for ${Math.round(now - start)} ms; try again`, {
        retryable: true,
      })
    else await sleep(1 + Math.random() * 10)
  }
}

function isStale(holder: string, unchangedFor: number, times: LockTimes): boolean {
  if (unchangedFor > times.staleAfter) return true
  const owner = ownerOf(holder)
  return owner === undefined ? unchangedFor > Math.min(emptyStaleAfter, times.staleAfter) : hasEnded(owner)
}
