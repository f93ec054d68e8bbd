import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { known } from '../session/known.ts'
import { hasEnded, newLock, ownerOf } from '../storage/process-owner.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeJson } from '../storage/stored-json.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { leaseKey } from '../store/keys.ts'
import { type Lease, readLease, replaceLease } from '../store/lease-record.ts'
import { type HeldLease, keepLease } from './held-lease.ts'
import { type DoneWork, openLedger } from './ledger.ts'

/** How a run keeps others away from its work. */
export interface LeaseOptions {
  /** Called once if another run is at work, with its process if that is on this machine. */
  readonly onWait?: ((other: { readonly pid?: number; readonly since?: string }) => void) | undefined
  /** Milliseconds after which a run that does not renew its lease counts as dead. @default 120_000 */
  readonly leaseMs?: number | undefined
}

export interface WorkLeaseOptions extends LeaseOptions {
  readonly signal?: AbortSignal | undefined
}

const defaultLeaseMs = 120_000
/** No lease in a store keeps others away for longer. */
const longestLeaseMs = 600_000

/**
 * Compresses what the digest names while no other run does so in this store: waits for one that is at it, and returns
 * what that one did. Of a run that died, the work is taken over: at once if it was a process of this machine, otherwise
 * when its lease stayed the same for `leaseMs` of this process's own time, so clocks need not agree. A run that lost its
 * lease makes no further request, and waits in turn.
 */
export async function withWorkLease<T>(
  store: BundleStore,
  digest: string,
  options: WorkLeaseOptions,
  work: (held: HeldLease) => Promise<T>,
): Promise<T | { readonly known: DoneWork }> {
  const leaseMs = Math.min(options.leaseMs ?? defaultLeaseMs, longestLeaseMs)
  // Two runs whose work keeps them from renewing would take it from each other for ever if their patience were equal.
  for (let patience = 1; ; patience *= 2) {
    const lease = newLease(leaseMs)
    await acquire(store.storage, digest, lease, { ...options, patience })
    const held = keepLease(store.storage, digest, lease)
    try {
      const done = await openLedger(store).find(digest)
      return done === undefined ? await work(held) : { known: done }
    } catch (error) {
      if (!held.signal.aborted || options.signal?.aborted) throw error
    } finally {
      await held.release()
    }
  }
}

function newLease(leaseMs: number): Lease & { readonly leaseMs: number } {
  const token = randomBytes(12).toString('hex')
  return { schemaVersion: 1, token, owner: newLock(), since: new Date().toISOString(), leaseMs, beat: 1 }
}

async function acquire(
  storage: Storage,
  digest: string,
  lease: Lease & { readonly leaseMs: number },
  { onWait, signal, patience }: WorkLeaseOptions & { readonly patience: number },
): Promise<void> {
  const key = leaseKey(digest)
  const bytes = encodeJson(lease)
  signal?.throwIfAborted()
  if (await putIfAbsent(storage, key, bytes)) return
  const pause = Math.min(500, lease.leaseMs / 5)
  let seen: string | undefined
  let unchanged = 0
  for (;;) {
    signal?.throwIfAborted()
    const found = await storage.get(key)
    if (found === undefined) {
      if (await putIfAbsent(storage, key, bytes)) return
      continue
    }
    if (seen !== found.etag) unchanged = 0
    // Of a damaged lease only the age counts.
    const other = readLease(key, found.bytes)
    const owner = other?.owner === undefined ? undefined : ownerOf(other.owner)
    const ended = owner !== undefined && hasEnded(owner)
    const theirMs = Math.min(other?.leaseMs ?? lease.leaseMs, longestLeaseMs)
    if (ended || unchanged >= theirMs * patience) {
      if (await replaceLease(storage, key, bytes, found.etag)) return
      continue
    }
    if (seen === undefined) onWait?.(known({ pid: owner?.pid, since: other?.since }))
    seen = found.etag
    // Pauses are summed instead of reading the clock: after a standstill of this machine, the other run may need a moment.
    unchanged += pause
    // An abort is thrown by the next round.
    await sleep(pause, undefined, { signal }).catch(() => undefined)
  }
}
