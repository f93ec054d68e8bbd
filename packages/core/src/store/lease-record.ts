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
    /** The process, as `newLock` names it. */
    owner: z.optional(z.string()),
    since: z.iso.datetime(),
    /** Milliseconds after which it may be taken over if it is not renewed. */
    leaseMs: z.optional(z.number().check(z.positive())),
    /** Counts up, so that every renewal gives the object a new etag. */
    beat: z.number(),
  }),
)

export type Lease = z.infer<typeof leaseSchema>

/** Reads a lease; undefined if it is damaged. */
export function readLease(key: string, bytes: Uint8Array): Lease | undefined {
  const lease = decodeOrFault(() => decodeJson(key, bytes, leaseSchema))
  return lease instanceof Error ? undefined : lease
}

/** Replaces the lease if it is still that of the etag; false if it is not. */
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
    // Some stores have no If-Match: there, two runs that take over from the same dead one may both win.
    if ((await storage.get(key))?.etag !== etag) return false
    await storage.put(key, bytes)
    return true
  }
}
