import { hasEnded, ownerOf } from '../../storage/process-owner.ts'
import type { Storage } from '../../storage/storage.ts'
import { readLease } from '../lease-record.ts'
import { leasePrefix } from '../ledger-keys.ts'

/** No run is at one log for longer. */
const longestWorkMs = 24 * 60 * 60 * 1000

/**
 * Deletes leases of runs that were killed after their work was done, which nobody takes over. Of processes of other
 * machines only the age shows that they have ended; a run that lost a lease by mistake puts it back.
 */
export async function dropDeadLeases(storage: Storage): Promise<void> {
  const keys: string[] = []
  for await (const { key } of storage.list(leasePrefix)) keys.push(key)
  for (const key of keys) {
    const stored = await storage.get(key)
    const lease = stored && readLease(key, stored.bytes)
    if (lease === undefined) continue
    const owner = lease.owner === undefined ? undefined : ownerOf(lease.owner)
    const isOld = Date.now() - Date.parse(lease.since) > longestWorkMs
    if (isOld || (owner !== undefined && hasEnded(owner))) await storage.delete(key)
  }
}
