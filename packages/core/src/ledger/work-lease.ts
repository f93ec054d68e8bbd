import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod/mini'
import { StorageError } from '../errors.ts'
import { known } from '../session/known.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { putIfAbsent, putIfMatch } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, decodeOrFault, encodeJson } from '../storage/stored-json.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { leaseKey } from '../store/ledger-keys.ts'
import { type DoneWork, openLedger } from './ledger.ts'

const leaseSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    token: z.string(),
    /** The process, if it can be named. */
    owner: z.optional(z.string()),
    since: z.iso.datetime(),
    /** Counts up, so that every renewal gives the object a new etag. */
    beat: z.number(),
  }),
)

type Lease = z.infer<typeof leaseSchema>

export interface WorkLeaseOptions {
  /** Names this process, so that others can find out whether it has ended. */
  readonly owner?: string | undefined
  /** Whether the process of that name has certainly ended: its work is then taken over at once. */
  readonly hasEnded?: ((owner: string) => boolean) | undefined
  /** Ids of bundles that do not count as known: for a run that is to compress again what was done before it began. */
  readonly except?: ReadonlySet<string> | undefined
  /** Called once if another run is at work. */
  readonly onWait?: ((other: { readonly owner?: string; readonly since?: string }) => void) | undefined
  /** Milliseconds after which a run that does not renew its lease counts as dead. @default 120_000 */
  readonly leaseMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Compresses what the digest names while no other run does so in this store: waits for one that is at it, and returns
 * what that one did. Of a run that died, the work is taken over once its lease stayed the same for `leaseMs` of this
 * process's own time, so clocks need not agree.
 */
export async function withWorkLease<T>(
  store: BundleStore,
  digest: string,
  options: WorkLeaseOptions,
  work: () => Promise<T>,
): Promise<T | { readonly known: DoneWork }> {
  const { storage } = store
  const { leaseMs = 120_000, except, owner } = options
  const lease: Lease = {
    schemaVersion: 1,
    token: randomBytes(12).toString('hex'),
    ...known({ owner }),
    since: new Date().toISOString(),
    beat: 1,
  }
  await acquire(storage, digest, lease, { ...options, leaseMs })
  const release = keepLease(storage, digest, lease, leaseMs)
  try {
    const done = await openLedger(store).find(digest, { except })
    return done === undefined ? await work() : { known: done }
  } finally {
    await release()
  }
}

async function acquire(
  storage: Storage,
  digest: string,
  lease: Lease,
  { hasEnded, onWait, leaseMs, signal }: WorkLeaseOptions & { readonly leaseMs: number },
): Promise<void> {
  const key = leaseKey(digest)
  const bytes = encodeJson(lease)
  if (await putIfAbsent(storage, key, bytes)) return
  const pause = Math.min(500, leaseMs / 5)
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
    const ended = other?.owner !== undefined && hasEnded?.(other.owner) === true
    if (ended || unchanged >= leaseMs) {
      if (await replaceSame(storage, key, bytes, found.etag)) return
      continue
    }
    if (seen === undefined) onWait?.(known({ owner: other?.owner, since: other?.since }))
    seen = found.etag
    // Pauses are summed instead of reading the clock: after a standstill of this machine, the other run may need a moment.
    unchanged += pause
    // An abort is thrown by the next round.
    await sleep(pause, undefined, { signal }).catch(() => undefined)
  }
}

/** Renews the lease until the returned function is called, which gives it back. */
function keepLease(storage: Storage, digest: string, lease: Lease, leaseMs: number): () => Promise<void> {
  const key = leaseKey(digest)
  let beat = lease.beat
  let running: Promise<void> = Promise.resolve()

  async function ownEtag(): Promise<string | undefined> {
    const found = await storage.get(key)
    return found !== undefined && readLease(key, found.bytes)?.token === lease.token ? found.etag : undefined
  }

  async function renew(): Promise<void> {
    const etag = await ownEtag()
    beat += 1
    if (etag !== undefined) await replaceSame(storage, key, encodeJson({ ...lease, beat }), etag)
  }

  const timer = setInterval(() => {
    // The store may be back at the next beat.
    running = running.then(renew).catch(() => undefined)
  }, leaseMs / 4)
  timer.unref()

  return async () => {
    clearInterval(timer)
    await running
    // A lease that cannot be given back expires by itself; what was done stays done.
    const giveBack = async () => ((await ownEtag()) === undefined ? undefined : await storage.delete(key))
    await giveBack().catch(() => undefined)
  }
}

function readLease(key: string, bytes: Uint8Array): Lease | undefined {
  const lease = decodeOrFault(() => decodeJson(key, bytes, leaseSchema))
  return lease instanceof Error ? undefined : lease
}

/** Replaces the lease if it is still that of the etag; false if it is not. */
async function replaceSame(storage: Storage, key: string, bytes: Uint8Array, etag: string): Promise<boolean> {
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
