/** One object of a listing. */
export interface StoredObject {
  /** The whole key, with the prefix. */
  readonly key: string
  /** In bytes. */
  readonly size: number
}

/** Condition of a put: the key must not exist, or must still hold the bytes of that etag. */
export interface PutCondition {
  /** Store only if there is no such key. */
  readonly ifAbsent?: boolean
  /** Store only if the stored bytes still have this `etag`. */
  readonly ifMatch?: string
}

/** Where a listing begins, and what it must say. */
export interface ListOptions {
  /** Only keys that sort after this one; it need not exist. */
  readonly after?: string
  /** False: a size may be 0 if it takes a look at each object to know it. @default true */
  readonly sizes?: boolean
}

/** Bytes on their way into a {@link Storage}, before their key is known: no reader sees them until they are put. */
export interface StagedBytes {
  /** Adds bytes, which the caller may change once it returns. */
  write(bytes: Uint8Array): Promise<void>
  /** Stores all bytes, by the laws of {@link Storage}; once, and nothing can be written afterwards. */
  put(key: string, condition?: PutCondition): Promise<{ readonly etag: string }>
  /** Removes what was staged; does nothing once it was put. Never rejects. */
  discard(): Promise<void>
}

/**
 * A flat store of immutable bytes under keys (`a/b/c.json`, segments of `[A-Za-z0-9._-]`). Laws: once a put returns,
 * the object is durable and complete for every reader; a reader sees the old bytes or the new, never a part; of many
 * conditional puts of one key exactly one wins, the others throw {@link StorageConflictError}, and what they found
 * there is durable then; bytes come back exactly; a listing is complete, in the order of UTF-8 bytes; delete of a
 * missing key is not an error.
 */
export interface Storage {
  /** For messages: `fs:/path`, `memory`. */
  readonly name: string
  /** Returns exactly the bytes that were put, or undefined if there is no such key. */
  get(key: string): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined>
  /**
   * Stores bytes at once or not at all. Rejects with `StorageConflictError` if the condition does not hold.
   */
  put(key: string, bytes: Uint8Array, condition?: PutCondition): Promise<{ readonly etag: string }>
  /**
   * Begins a put that takes its bytes piece by piece, for more than should be held in memory. `prefix` ends in `/`, and
   * the key will begin with it. What a killed process staged is never listed.
   * @default large values are put in one piece
   */
  stage?(prefix: string): Promise<StagedBytes>
  /** Yields the keys that begin with a prefix, in the order of their UTF-8 bytes. */
  list(prefix: string, options?: ListOptions): AsyncIterable<StoredObject>
  /** Deletes a key; does nothing if there is none. */
  delete(key: string): Promise<void>
  /**
   * Throws {@link StorageError} if a put of this key is certain to be refused, and leaves nothing behind: called before a
   * model is paid for content to be stored.
   * @default puts are assumed to succeed
   */
  assertWritable?(key: string): Promise<void>
  /**
   * True if each call is a request over a network, and `get` compares what it received with a digest of what was put:
   * then no copies of LATEST are kept for people, and readers compare no digest a second time.
   * @default false
   */
  readonly remote?: boolean
  /** Full path of the folder that all its files are in: what changes there is no change of the work. */
  readonly folder?: string
}
