import * as z from 'zod/mini'
import { StorageError } from '../errors.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { putIfMatch } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, decodeOrFault } from '../storage/stored-json.ts'

const leaseSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    token: z.string(),
    /** The process, as text of `newLock`. */
    owner: z.optional(z.string()),
    since: z.iso.datetime(),
    /** Milliseconds without renewal after which the lease may be taken over. */
    leaseMs: z.optional(z.number().check(z.positive())),
    /** Increases, so that every renewal gives the object a new etag. */
    beat: z.number(),
  }),
)

export type Lease = z.infer<typeof leaseSchema>

/** Returns undefined for a damaged lease. */
export function readLease(key: string, bytes: Uint8Array): Lease | undefined {
  const lease = decodeOrFault(() => decodeJson(key, bytes, leaseSchema))
  return lease instanceof Error ? undefined : lease
}

/** Replaces a lease if its etag is unchanged; returns false if it is not. */
export async function replaceLease(
  storage: Storage,
  key: string,
  bytes: Uint8Array,
  etag: string,
): Promise<boolean> {
  try {
    return await putIfMatch(storage, key, bytes, etag)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    // Some stores lack If-Match; then two runs that take over the same lease may both succeed.
    if ((await storage.get(key))?.etag !== etag) return false
    await storage.put(key, bytes)
    return true
  }
}
