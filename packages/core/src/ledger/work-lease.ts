import { randomBytes } from 'node:crypto'
import { sleep } from '../session/backoff.ts'
import { known } from '../session/known.ts'
import { hasEnded, newLock, ownerOf } from '../storage/process-owner.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeJson } from '../storage/stored-json.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { leaseKey } from '../store/keys.ts'
import { type Lease, readLease, replaceLease } from '../store/lease-record.ts'
import type { Summarizer } from '../summarize/summarizer.ts'
import { type DoneWork, openLedger } from './ledger.ts'

export interface LeaseOptions {
  /** Called once if another run does the same work, with its process id if it is on this machine. */
  readonly onWait?: ((other: { readonly pid?: number; readonly since?: string }) => void) | undefined
  /** Milliseconds after which a run that does not renew its lease counts as dead. @default 120_000 */
  readonly leaseMs?: number | undefined
}

export interface WorkLeaseOptions extends LeaseOptions {
  readonly signal?: AbortSignal | undefined
}

interface TakeLeaseOptions extends WorkLeaseOptions {
  readonly leaseMs: number
  /** How many lease times of the other run to wait before its lease is taken over. @default 1 */
  readonly patience?: number
  /** False: give up once the other run is seen alive. @default true */
  readonly wait?: boolean
}

const defaultLeaseMs = 120_000
/** Upper limit for any lease in a store, also for those of other runs. */
const longestLeaseMs = 600_000

/**
 * Runs `work` while no other run in this store does the work of the digest. Otherwise waits for the other run and
 * returns its result. The work of a dead run is taken over: at once if it was a process of this machine, otherwise if
 * its lease stayed the same for `leaseMs`, measured by this process, so clocks need not agree. A run that lost its
 * lease makes no further request, and waits.
 */
export async function withWorkLease<T>(
  store: BundleStore,
  digest: string,
  options: WorkLeaseOptions,
  work: (held: HeldLease) => Promise<T>,
): Promise<T | { readonly known: DoneWork }> {
  const leaseMs = Math.min(options.leaseMs ?? defaultLeaseMs, longestLeaseMs)
  // Patience doubles: two runs too busy to renew their leases would otherwise take them from each other for ever.
  for (let patience = 1; ; patience *= 2) {
    const held = await takeLease(store.storage, leaseKey(digest), { ...options, leaseMs, patience })
    if (held === undefined) continue
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

/** Takes the lease under a key and renews it until it is released; undefined if another run is alive and `wait` is false. */
export async function takeLease(storage: Storage, key: string, options: TakeLeaseOptions) {
  const token = randomBytes(12).toString('hex')
  const since = new Date().toISOString()
  const { leaseMs } = options
  const lease: Lease = { schemaVersion: 1, token, owner: newLock(), since, leaseMs, beat: 1 }
  return (await acquire(storage, key, lease, options)) ? keepLease(storage, key, lease, leaseMs) : undefined
}

async function acquire(
  storage: Storage,
  key: string,
  lease: Lease,
  { leaseMs, onWait, signal, patience = 1, wait = true }: TakeLeaseOptions,
): Promise<boolean> {
  const bytes = encodeJson(lease)
  signal?.throwIfAborted()
  if (await putIfAbsent(storage, key, bytes)) return true
  const pause = Math.max(10, Math.min(500, leaseMs / 5))
  let seen: string | undefined
  let unchanged = 0
  for (;;) {
    signal?.throwIfAborted()
    const found = await storage.get(key)
    if (found === undefined) {
      if (await putIfAbsent(storage, key, bytes)) return true
      continue
    }
    if (seen !== undefined && seen !== found.etag && !wait) return false
    if (seen !== found.etag) unchanged = 0
    // A damaged lease is judged only by how long it stays unchanged.
    const other = readLease(key, found.bytes)
    const owner = other?.owner === undefined ? undefined : ownerOf(other.owner)
    const ended = owner !== undefined && hasEnded(owner)
    const theirMs = Math.min(other?.leaseMs ?? leaseMs, longestLeaseMs)
    if (ended || unchanged >= theirMs * patience) {
      if (await replaceLease(storage, key, bytes, found.etag)) return true
      continue
    }
    if (seen === undefined) onWait?.(known({ pid: owner?.pid, since: other?.since }))
    seen = found.etag
    // Pauses are summed instead of reading the clock, so that the time for which this machine sleeps does not count.
    unchanged += pause
    await sleep(pause, signal)
  }
}

export interface HeldLease {
  /** Aborts if another run took over the lease because this one did not renew it in time. */
  readonly signal: AbortSignal
  /**
   * Checks that the lease is still held, and throws or rejects with the reason of the signal if it is not. Called
   * before each request. Returns nothing if that is certain without reading the store.
   */
  confirm(): Promise<void> | undefined
}

export function isHeld(lease: object | undefined): lease is HeldLease {
  return lease !== undefined && 'confirm' in lease
}

/** Renews a lease until `release` gives it back. */
function keepLease(
  storage: Storage,
  key: string,
  lease: Lease,
  leaseMs: number,
): HeldLease & { release(): Promise<void> } {
  const lost = new AbortController()
  let { beat } = lease
  let renewed = now()
  let running: Promise<unknown> = Promise.resolve()

  /** Returns false if the lease changed at the same moment and must be read again. */
  async function renew(): Promise<boolean> {
    const asked = now()
    const found = await storage.get(key)
    const next = encodeJson({ ...lease, beat: ++beat } satisfies Lease)
    if (found !== undefined && readLease(key, found.bytes)?.token !== lease.token) {
      lost.abort(new Error('another run took over this work while this one stood still'))
      return false
    }
    const isRenewed =
      found === undefined
        ? await putIfAbsent(storage, key, next)
        : await replaceLease(storage, key, next, found.etag)
    if (isRenewed) renewed = asked
    return isRenewed
  }

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = running.then(run)
    running = result.catch(() => undefined)
    return result
  }

  async function untilRenewed(): Promise<void> {
    while (!(await inTurn(renew))) lost.signal.throwIfAborted()
  }

  const timer = setInterval(() => {
    // The store may work again at the next renewal.
    inTurn(renew).catch(() => undefined)
  }, leaseMs / 4)
  timer.unref()

  return {
    signal: lost.signal,
    confirm() {
      lost.signal.throwIfAborted()
      // It was renewed recently, so nobody can have taken it over.
      return elapsed(renewed) < leaseMs / 2 ? undefined : untilRenewed()
    },
    async release() {
      clearInterval(timer)
      await running
      const giveBack = async (): Promise<void> => {
        const found = await storage.get(key)
        if (found !== undefined && readLease(key, found.bytes)?.token === lease.token)
          await storage.delete(key)
      }
      // A lease that cannot be given back expires by itself.
      await giveBack().catch(() => undefined)
    },
  }
}

export function mayBill({ estimate }: Summarizer): boolean {
  return estimate !== undefined
}

/** Summarizers that check the lease before each request. */
export function underLease(summarizers: Summarizer | readonly Summarizer[], { confirm }: HeldLease) {
  return [summarizers].flat().map((summarizer): Summarizer => {
    if (!mayBill(summarizer)) return summarizer
    return {
      ...summarizer,
      summarize: (request, control) =>
        summarizer.summarize(request, {
          ...control,
          admit: (estimate) => {
            const confirming = confirm()
            return confirming === undefined
              ? control.admit?.(estimate)
              : confirming.then(() => control.admit?.(estimate))
          },
        }),
    }
  })
}

function now() {
  return { wall: Date.now(), steady: performance.now() }
}

/** The wall clock runs on while a machine sleeps; the steady clock is never set back. */
function elapsed({ wall, steady }: ReturnType<typeof now>): number {
  return Math.max(Date.now() - wall, performance.now() - steady)
}
