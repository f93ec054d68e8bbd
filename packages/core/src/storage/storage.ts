/** An object in a listing. */
export interface StoredObject {
  /** The whole key, including the prefix. */
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/** Condition of a put: the key must not exist, or must still hold the bytes of that etag. */
export interface PutCondition {
  /** Store only if the key does not exist. */
  readonly ifAbsent?: boolean
  /** Store only if the stored bytes still have this `etag`. */
  readonly ifMatch?: string
}

/** Options of a listing. */
export interface ListOptions {
  /** Only keys that sort after this one, which need not exist. */
  readonly after?: string
  /** False: sizes may be 0 if finding them needs a look at each object. @default true */
  readonly sizes?: boolean
}

/** Bytes that are written into a {@link Storage} before their key is known. No reader sees them until they are put. */
export interface StagedBytes {
  /** Adds bytes. The caller may reuse the array once it returns. */
  write(bytes: Uint8Array): Promise<void>
  /** Stores all bytes by the laws of {@link Storage}. Can be called once; nothing can be written afterwards. */
  put(key: string, condition?: PutCondition): Promise<{ readonly etag: string }>
  /** Removes the staged bytes; does nothing after `put`. Never rejects. */
  discard(): Promise<void>
}

/**
 * A flat store of immutable bytes under keys (`a/b/c.json`, segments of `[A-Za-z0-9._-]`). Laws: once a put returns,
 * the object is durable and complete for every reader. A reader sees the old bytes or the new ones, never a part. Of
 * several conditional puts of one key, exactly one succeeds; the others throw {@link StorageConflictError}, and the
 * object that they found is then durable. Bytes are returned exactly. A listing is complete and in the order of UTF-8
 * bytes. Deleting a missing key is not an error.
 */
export interface Storage {
  /** Used in messages: `fs:/path`, `memory`. */
  readonly name: string
  /** Returns exactly the bytes that were put; undefined if the key does not exist. */
  get(key: string): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined>
  /** Stores all bytes or none. Rejects with `StorageConflictError` if the condition does not hold. */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<{ readonly etag: string }>
  /**
   * Begins a put that receives its bytes piece by piece, if there are too many to hold in memory. `prefix` ends in `/`,
   * and the key must begin with it. Bytes staged by a killed process are never listed.
   * @default large values are put in one piece
   */
  stage?(prefix: string): Promise<StagedBytes>
  /** Yields the keys that begin with a prefix, in the order of their UTF-8 bytes. */
  list(prefix: string, options?: ListOptions): AsyncIterable<StoredObject>
  /** Deletes a key; does nothing if there is none. */
  delete(key: string): Promise<void>
  /**
   * Throws {@link StorageError} if a put of this key is certain to be refused. Changes nothing. Called before a model
   * is paid for content to store.
   * @default puts are assumed to succeed
   */
  assertWritable?(key: string): Promise<void>
  /**
   * True if each call is a network request, and `get` verifies the received bytes by a digest of those that were put.
   * Then no copies of LATEST are kept for people, and readers do not compare digests again.
   * @default false
   */
  readonly remote?: boolean
  /** Full path of the folder that holds all its files: changes there are not changes of the work. */
  readonly folder?: string
}
