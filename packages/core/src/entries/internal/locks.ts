// What locks of files and retries use, without the rest.
export { backoff, sleep } from '../../session/backoff.ts'
export {
  hasEnded,
  type LockOwner,
  newLock,
  ownerAt,
  ownerOf,
  thisOwner,
} from '../../storage/process-owner.ts'
