import type { LockTimes } from './lock/with-lock.ts'

/** Options of {@link fileStorage}. */
export interface FileStorageOptions {
  /** Let Git track a new store, so that it can be committed and merged. @default false */
  readonly shared?: boolean | undefined
  /** Time limits of locks. @default stale after 10 s, give up waiting after 30 s */
  readonly lockTimes?: Partial<LockTimes> | undefined
  /**
   * Wait for the disk in this thread. This is faster for a program that makes a few calls and does nothing else, but
   * wrong for a server. @default false
   */
  readonly blocking?: boolean | undefined
}
