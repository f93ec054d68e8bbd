// All that a storage adapter needs.

export { type ErrorCode, StorageConflictError, StorageError, TenfoldError } from '../errors.ts'
export type { AbortableOptions } from '../session/abortable-options.ts'
export type { ListOptions, PutCondition, StagedBytes, Storage, StoredObject } from '../storage/storage.ts'
export { assertStorageKey, storageKeyFault } from '../storage/storage-key.ts'
