// What a storage needs, without the rest.

export { type ErrorCode, errorCodes, StorageConflictError, StorageError, TenfoldError } from '../errors.ts'
export type { AbortableOptions } from '../session/abortable-options.ts'
export { hasEnded, type LockOwner, newLock, ownerAt, ownerOf, thisOwner } from '../storage/process-owner.ts'
export { putIfAbsent, putIfMatch } from '../storage/put-if-absent.ts'
export type { ListOptions, PutCondition, StagedBytes, Storage, StoredObject } from '../storage/storage.ts'
export { assertStorageKey, storageKeyFault } from '../storage/storage-key.ts'
