// Exports for locks of files and for retries.
export { backoff, sleep } from '../../session/backoff.ts'
export {
  hasEnded,
  type LockOwner,
  newLock,
  ownerAt,
  ownerOf,
  thisOwner,
} from '../../storage/process-owner.ts'
