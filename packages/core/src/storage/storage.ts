/** One object of a listing. */
export interface StoredObject {
  readonly key: string
  readonly size: number
}

/** Condition of a put: the key must not exist, or must still hold the bytes of that etag. */
export interface PutCondition {
  readonly ifAbsent?: boolean
  readonly ifMatch?: string
}

/**
 * A flat store of immutable bytes under keys (`a/b/c.json`, segments of `[A-Za-z0-9._-]`). Laws: a put that returned is
 * durable and whole for every reader; a reader sees the old bytes or the new, never a part; of many conditional puts of
 * one key exactly one wins, the others throw StorageConflictError, and what they found there is durable then; bytes come back exactly; a listing is complete, in
 * the order of UTF-8 bytes; delete of a missing key is no error.
 */
export interface Storage {
  /** For messages: `fs:/path`, `memory`. */
  readonly name: string
  get(key: string): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined>
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<{ readonly etag: string }>
  list(prefix: string): AsyncIterable<StoredObject>
  delete(key: string): Promise<void>
  /**
   * Throws StorageError if a put of this key is sure to be refused, and leaves nothing behind: asked before a model is paid for
   * what is to be stored. @default a put will be taken
   */
  assertWritable?(key: string): Promise<void>
  /** What the store knows of conditions; `create-only` has no `ifMatch`, and such a put throws StorageError. @default full */
  conditions?(): Promise<'full' | 'create-only'>
}
