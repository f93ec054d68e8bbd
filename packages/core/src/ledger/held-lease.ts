import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { leaseKey } from '../store/keys.ts'
import { type Lease, readLease, replaceLease } from '../store/lease-record.ts'
import type { Summarizer } from '../summarize/summarizer.ts'

/** A lease that this run holds while it works. */
export interface HeldLease {
  /** Aborts if another run has taken the lease over, because this one stood still for too long. */
  readonly signal: AbortSignal
  /**
   * Makes sure that the lease is still held, and throws or rejects with the reason of the signal if not. Called before
   * each request. Returns nothing if that is certain without asking the store.
   */
  confirm(): Promise<void> | undefined
}

export function isHeld(lease: object | undefined): lease is HeldLease {
  return lease !== undefined && 'confirm' in lease
}

/** Renews a lease that was just taken, until `release` gives it back. */
export function keepLease(
  storage: Storage,
  digest: string,
  lease: Lease & { readonly leaseMs: number },
): HeldLease & { release(): Promise<void> } {
  const key = leaseKey(digest)
  const { leaseMs } = lease
  const lost = new AbortController()
  let { beat } = lease
  let renewed = now()
  let running: Promise<unknown> = Promise.resolve()

  /** False if the lease was changed at this moment, so that it has to be looked at once more. */
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
    // The store may be back at the next beat.
    inTurn(renew).catch(() => undefined)
  }, leaseMs / 4)
  timer.unref()

  return {
    signal: lost.signal,
    confirm() {
      lost.signal.throwIfAborted()
      // Renewed recently, nobody can have taken it over yet.
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
      // A lease that cannot be given back expires by itself; what was done stays done.
      await giveBack().catch(() => undefined)
    },
  }
}

export function mayBill({ estimate }: Summarizer): boolean {
  return estimate !== undefined
}

/** The summarizer, which makes no request unless the lease is still held. */
export function underLease(summarizer: Summarizer, { confirm }: HeldLease): Summarizer {
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
}

interface Instant {
  readonly wall: number
  readonly steady: number
}

function now(): Instant {
  return { wall: Date.now(), steady: performance.now() }
}

/** The wall clock goes on while a machine sleeps, the other one is never set back. */
function elapsed({ wall, steady }: Instant): number {
  return Math.max(Date.now() - wall, performance.now() - steady)
}
