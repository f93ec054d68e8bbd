import { utimes } from 'node:fs/promises'
import { hasEnded, type LockOwner, newLock, ownerOf, thisOwner } from '@tenfold/core/internal/locks'
import { type FileSystem, realFileSystem } from '../file-system.ts'
import { breakLock, createLock, modifiedAt, readLock, unlinkIfThere } from './lock-file.ts'

/** A lock that is held for as long as the work takes. */
export interface HeldLock {
  /** Lets others have it. */
  release(): Promise<void>
}

// The holder touches its lock. One untouched for this long is stale if its owner cannot be identified.
const beat = 15_000
const staleAfter = 10 * 60_000
// A lock is empty between its creation and its content; a process killed at that moment leaves it so.
const emptyStaleAfter = 5_000

/**
 * Takes the lock file at `path`, in a folder that only this machine uses. The lock of a process that has ended is taken
 * over at once. Returns the owner if it is held.
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

/** Whether nobody holds the lock with this content any more, if it is untouched for `age` milliseconds. */
export function isAbandoned(lock: string, age: number): boolean {
  const owner = ownerOf(lock)
  if (owner === undefined) return age > emptyStaleAfter
  // For a process in another container, only the beat shows that it is alive.
  return hasEnded(owner, true) || (owner.host !== thisOwner().host && age > staleAfter)
}

function held(fs: FileSystem, path: string, mine: string): HeldLock {
  const touch = async (): Promise<void> => {
    const now = new Date()
    if ((await readLock(fs, path)) === mine) await utimes(path, now, now)
  }
  // A beat that fails is tried again with the next one.
  const timer = setInterval(() => void touch().catch(() => undefined), beat)
  timer.unref()
  return {
    async release() {
      clearInterval(timer)
      if ((await readLock(fs, path)) === mine) await unlinkIfThere(fs, path)
    },
  }
}
