import { randomUUID } from 'node:crypto'
import { sleep } from '@tenfold/core/internal/locks'
import * as z from 'zod/mini'
import { takenOver } from './batch-error.ts'
import { type JobPlace, putObject, readObject } from './job-store.ts'

const leaseSchema = z.strictObject({
  /** Who works on the job; null if nobody does. */
  owner: z.nullable(z.string()),
  /** Counts up, so that every renewal gives the object a new etag. */
  beat: z.number(),
})

export interface LeaseOptions {
  readonly signal: AbortSignal
  /** How long a lease that is not renewed keeps others away, in milliseconds. */
  readonly leaseMs: number
  /** Wait until the other process is done; otherwise give up as soon as it is seen alive. */
  readonly wait: boolean
  readonly onBusy?: (() => void) | undefined
}

/**
 * Runs `work` while no other process works on the job; returns undefined if another one does. A lease whose owner died
 * is taken over once it stayed the same for `leaseMs` of this process's own time, so clocks need not agree. The signal
 * given to `work` aborts if the lease is lost.
 */
export async function withLease<T>(
  place: JobPlace,
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const owner = randomUUID()
  if (!(await acquire(place, owner, options))) return undefined
  const lost = new AbortController()
  const stop = renew(place, owner, options.leaseMs, () => lost.abort(takenOver(place.job)))
  try {
    return await work(AbortSignal.any([options.signal, lost.signal]))
  } finally {
    await stop()
  }
}

async function acquire(place: JobPlace, owner: string, options: LeaseOptions): Promise<boolean> {
  let seen: { readonly etag: string; readonly since: number } | undefined
  for (;;) {
    options.signal.throwIfAborted()
    const stored = await readObject(place, 'lease.json', leaseSchema)
    const isSeen = stored !== undefined && seen?.etag === stored.etag
    const expired = isSeen && performance.now() - (seen?.since ?? 0) >= options.leaseMs
    if (stored === undefined || stored.value.owner === null || expired) {
      const next = { owner, beat: (stored?.value.beat ?? 0) + 1 }
      if (await putObject(place, 'lease.json', next, stored?.etag)) return true
      continue
    }
    if (seen !== undefined && !isSeen && !options.wait) return false
    if (!isSeen) seen = { etag: stored.etag, since: performance.now() }
    options.onBusy?.()
    await sleep(Math.max(10, options.leaseMs / 5), options.signal)
  }
}

/** Renews the lease until the returned function is called, which gives it back. */
function renew(place: JobPlace, owner: string, leaseMs: number, onLost: () => void): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let lastBeat = performance.now()

  async function beat(next: string | null): Promise<void> {
    const stored = await readObject(place, 'lease.json', leaseSchema)
    const value = { owner: next, beat: (stored?.value.beat ?? 0) + 1 }
    if (stored?.value.owner === owner && (await putObject(place, 'lease.json', value, stored.etag)))
      lastBeat = performance.now()
    else onLost()
  }

  const timer = setInterval(() => {
    running = running
      .then(() => beat(owner))
      .catch(() => {
        // The store may be back at the next beat. If it stays away for long, another process may have taken over.
        if (performance.now() - lastBeat > leaseMs) onLost()
      })
  }, leaseMs / 4)
  timer.unref()

  return async () => {
    clearInterval(timer)
    await running
    // A lease that cannot be given back expires by itself.
    await beat(null).catch(() => undefined)
  }
}
