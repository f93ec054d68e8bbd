import { utimes } from 'node:fs/promises'
import { hasEnded, type LockOwner, newLock, ownerOf, thisOwner } from '@tenfold/core/internal/locks'
import { type FileSystem, realFileSystem } from '../file-system.ts'
import { breakLock, createLock, modifiedAt, readLock, unlinkIfThere } from './lock-file.ts'

/** A lock that is held for the duration of some work. */
export interface HeldLock {
  /** Releases the lock. */
  release(): Promise<void>
}

// The holder touches its lock at each beat. An untouched lock of an unidentifiable owner is stale after this time.
const beat = 15_000
const staleAfter = 10 * 60_000
// A process that is killed between creating and writing its lock leaves an empty file.
const emptyStaleAfter = 5_000

/**
 * Takes the lock file at `path`, in a folder that only this machine uses. Takes over a lock at once if its process has
 * ended. Returns the owner if another process holds the lock.
 */
export async function holdLock(
  path: string,
  fs: FileSystem = realFileSystem,
): Promise<HeldLock | { readonly heldBy: LockOwner | undefined }> {
  const mine = newLock()
  for (let attempt = 0; attempt < 10; attempt++) {
    if (await createLock(fs, path, mine)) return held(fs, path, mine)
    const holder = await readLock(fs, path)
    if (holder === undefined) continue
    const modified = (await modifiedAt(fs, path)) ?? Date.now()
    if (!isAbandoned(holder, Date.now() - modified)) return { heldBy: ownerOf(holder) }
    await breakLock(fs, path, holder, emptyStaleAfter)
  }
  return { heldBy: ownerOf((await readLock(fs, path)) ?? '') }
}

/** Whether a lock with this content, untouched for `age` milliseconds, has no holder any more. */
export function isAbandoned(lock: string, age: number): boolean {
  const owner = ownerOf(lock)
  if (owner === undefined) return age > emptyStaleAfter
  // Only the beat shows that a process in another container is alive.
  return hasEnded(owner, true) || (owner.host !== thisOwner().host && age > staleAfter)
}

function held(fs: FileSystem, path: string, mine: string): HeldLock {
  const touch = async (): Promise<void> => {
    const now = new Date()
    if ((await readLock(fs, path)) === mine) await utimes(path, now, now)
  }
  // A failed touch is repeated at the next beat.
  const timer = setInterval(() => void touch().catch(() => undefined), beat)
  timer.unref()
  return {
    async release() {
      clearInterval(timer)
      if ((await readLock(fs, path)) === mine) await unlinkIfThere(fs, path)
    },
  }
}
