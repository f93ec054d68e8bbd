import { type BundleStore, bundleStore, memoryStorage, type Storage } from '@tenfold/core'
import type { StandIn } from '../../../../../test/stand-in/index.ts'
import type { BatchEvent, BatchLimits } from '../../../src/batch/index.ts'
import { counter } from './sessions.ts'

/** No waiting except for the lease, which only a dead process still holds. */
const quick: BatchLimits = { settleMs: 0, pauseMs: 1, leaseMs: 5000, rateLimitMs: 0 }

export interface Bench {
  readonly storage: Storage
  readonly store: BundleStore
  readonly events: BatchEvent[]
  readonly options: {
    readonly store: BundleStore
    readonly counter: typeof counter
    readonly limits: BatchLimits
    readonly report: (event: BatchEvent) => void
    /** The sessions are in several parts only if they are read whole. */
    readonly maxReadRatio: number
  }
}

/** An empty store with the options that each call needs. */
export function bench(storage: Storage = memoryStorage()): Bench {
  const store = bundleStore(storage)
  const events: BatchEvent[] = []
  return {
    storage,
    store,
    events,
    options: { store, counter, limits: quick, report: (event) => events.push(event), maxReadRatio: 1 },
  }
}

/** How often each request of a job is on the bill, over all attempts: session and range of items as key. */
export function billedTimes(standIn: Pick<StandIn, 'bill'>, job: string): Map<string, number> {
  const nonce = job.slice(job.lastIndexOf('-') + 1)
  const times = new Map<string, number>()
  for (const { customId = '' } of standIn.bill) {
    if (!customId.startsWith(`${nonce}_`)) continue
    const [, , session, first, last] = customId.split('_')
    const key = `${session}: ${first}-${last}`
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  return times
}
