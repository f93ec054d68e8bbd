import { setTimeout as timer } from 'node:timers/promises'

/** Waits; throws the reason of the signal as soon as it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}

interface BackoffTimes {
  /** Upper bound of the first wait; it doubles with each further one, up to `mostMs`. */
  readonly firstMs: number
  readonly mostMs: number
  /** Minimum wait, as requested by a server. */
  readonly askedMs?: number | undefined
  readonly random?: (() => number) | undefined
}

/**
 * Returns the milliseconds to wait after `tries` failed tries: random up to the bound, so that competing processes
 * spread out.
 */
export function backoff(tries: number, { firstMs, mostMs, askedMs = 0, random = Math.random }: BackoffTimes) {
  return Math.max(askedMs >= 0 ? askedMs : 0, random() * Math.min(mostMs, firstMs * 2 ** tries))
}
