// The public surface of @tenfold/storage-fs/lock: locks of long work. Of core it loads only what a storage needs.

export type { LockOwner } from '@tenfold/core/internal/locks'
export { type HeldLock, holdLock, isAbandoned } from './hold-lock.ts'
