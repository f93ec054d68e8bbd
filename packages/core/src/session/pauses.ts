import { setImmediate } from 'node:timers/promises'

/** Well below what people and servers notice as a stall. */
const longestMs = 15

/**
 * A function to call between the steps of long work: now and then it returns a promise to await, which resolves when the
 * event loop has done its other work.
 */
export function pauses(): () => Promise<void> | undefined {
  let since = performance.now()
  async function pause(): Promise<void> {
    await setImmediate()
    since = performance.now()
  }
  return () => (performance.now() - since < longestMs ? undefined : pause())
}

/** Work that can pause wherever it yields. */
export type Steps<T> = Generator<void, T, void>

/** Does the work at once. */
export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Does the work with pauses for the event loop. Throws the reason of the signal when it aborts. */
export async function pausing<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  const pause = pauses()
  // What came before may have been long.
  await setImmediate()
  signal?.throwIfAborted()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    const paused = pause()
    if (paused === undefined) continue
    await paused
    signal?.throwIfAborted()
  }
}
