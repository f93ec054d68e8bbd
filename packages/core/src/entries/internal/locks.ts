// What the locks of files use, without the rest.

export {
  hasEnded,
  type LockOwner,
  newLock,
  ownerAt,
  ownerOf,
  thisOwner,
} from '../../storage/process-owner.ts'
