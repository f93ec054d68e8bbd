import { setTimeout as delay } from 'node:timers/promises'

/** Waits; rejects with the reason of the signal as soon as it aborts. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await abortable(() => delay(ms, undefined, { signal }), signal)
}

/** Milliseconds to wait after so many tries before: they double from `firstMs` up to `mostMs`. */
export function backoff(triesBefore: number, firstMs: number, mostMs: number): number {
  return Math.min(mostMs, firstMs * 2 ** triesBefore)
}

/** Rejects with the reason of the signal as soon as it aborts, even if the work ignores it. */
export async function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}
