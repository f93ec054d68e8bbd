// The public surface of @tenfold/storage-fs/lock: locks of long work. It loads nothing of core.

export { type HeldLock, holdLock, isAbandoned } from './hold-lock.ts'
export { hasEnded, type LockOwner, newLock, ownerOf } from './lock-owner.ts'
