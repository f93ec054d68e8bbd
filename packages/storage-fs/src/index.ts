// The public surface of @tenfold/storage-fs. Everything else is internal.

export { fileStorage } from './file-storage.ts'
export type { FileStorageOptions } from './file-storage-options.ts'
export { storeGitIgnore } from './git-hints.ts'
export type { LockTimes } from './lock/with-lock.ts'
export { type SweepTemporariesOptions, sweepTemporaries } from './sweep-temporaries.ts'
