// The public surface of @tenfold/storage-fs: what is not named here is internal.

export { type FileStorageOptions, fileStorage } from './file-storage.ts'
export type { LockTimes } from './lock/with-lock.ts'
export { type SweepTemporariesOptions, sweepTemporaries } from './sweep-temporaries.ts'
