import type { LockTimes } from './lock/with-lock.ts'

/** Options of {@link fileStorage}. */
export interface FileStorageOptions {
  /** Lets Git track what is stored in a new folder, so that it can be committed and merged. @default false */
  readonly shared?: boolean | undefined
  /** Time limits of locks. @default 10 s until a lock is stale, and 30 s of waiting */
  readonly lockTimes?: Partial<LockTimes> | undefined
  /**
   * Waits for the disk in this thread: faster for a program that makes a few calls and has nothing else to do, and wrong
   * for one that answers others meanwhile. @default false
   */
  readonly blocking?: boolean | undefined
}
