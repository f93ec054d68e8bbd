import { randomUUID } from 'node:crypto'
import type { Storage } from '@tenfold/core'
import * as z from 'zod/mini'
import { sleep } from '../../provider/abortable.ts'
import { leaseKey } from './job-keys.ts'
import { takenOver } from './job-store.ts'
import { addValue, readValue, replaceValue } from './stored-values.ts'

const leaseSchema = z.strictObject({
  /** Who works on the job; null if nobody does. */
  owner: z.nullable(z.string()),
  /** Counts up, so that every renewal gives the object a new etag. */
  beat: z.number(),
})

type Lease = z.infer<typeof leaseSchema>

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
  storage: Storage,
  job: string,
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const owner = randomUUID()
  if (!(await acquire(storage, job, owner, options))) return undefined
  const lost = new AbortController()
  const stop = renew(storage, job, owner, options.leaseMs, () => lost.abort(takenOver(job)))
  try {
    return await work(AbortSignal.any([options.signal, lost.signal]))
  } finally {
    await stop()
  }
}

async function acquire(
  storage: Storage,
  job: string,
  owner: string,
  options: LeaseOptions,
): Promise<boolean> {
  const key = leaseKey(job)
  let seen: { readonly etag: string; readonly since: number } | undefined
  for (;;) {
    options.signal.throwIfAborted()
    const stored = await readValue(storage, key, leaseSchema)
    if (stored === undefined) {
      if (await addValue(storage, key, { owner, beat: 1 } satisfies Lease)) return true
      continue
    }
    const expired = seen?.etag === stored.etag && performance.now() - seen.since >= options.leaseMs
    if (stored.value.owner === null || expired) {
      const next: Lease = { owner, beat: stored.value.beat + 1 }
      if (await replaceValue(storage, key, next, stored.etag)) return true
      continue
    }
    if (seen !== undefined && seen.etag !== stored.etag && !options.wait) return false
    if (seen?.etag !== stored.etag) seen = { etag: stored.etag, since: performance.now() }
    options.onBusy?.()
    await sleep(Math.max(10, options.leaseMs / 5), options.signal)
  }
}

/** Renews the lease until the returned function is called, which gives it back. */
function renew(
  storage: Storage,
  job: string,
  owner: string,
  leaseMs: number,
  onLost: () => void,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let lastBeat = performance.now()

  async function beat(next: string | null): Promise<void> {
    const stored = await readValue(storage, leaseKey(job), leaseSchema)
    const mine = stored?.value.owner === owner
    const value: Lease = { owner: next, beat: (stored?.value.beat ?? 0) + 1 }
    if (mine && (await replaceValue(storage, leaseKey(job), value, stored.etag))) lastBeat = performance.now()
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
