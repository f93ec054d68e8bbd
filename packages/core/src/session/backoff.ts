import { setTimeout as timer } from 'node:timers/promises'

/** Waits; throws the reason of the signal as soon as it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}

/** How long to wait after a failed try. */
interface BackoffTimes {
  /** Bound of the first wait; it doubles with each further one, up to `mostMs`. */
  readonly firstMs: number
  readonly mostMs: number
  /** The least wait, which a server asked for. */
  readonly askedMs?: number | undefined
  readonly random?: (() => number) | undefined
}

/** Milliseconds to wait after so many tries before: random up to the bound, so that rivals do not meet again. */
export function backoff(tries: number, { firstMs, mostMs, askedMs = 0, random = Math.random }: BackoffTimes) {
  return Math.max(askedMs >= 0 ? askedMs : 0, random() * Math.min(mostMs, firstMs * 2 ** tries))
}
