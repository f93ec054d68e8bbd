// As they were when this was loaded: tests put others in their place. Browsers have no `setImmediate`.
const { setImmediate: whenIdle = setTimeout } = globalThis

/** Resolves when the event loop has done its other work. */
function turn(): Promise<void> {
  return new Promise((resolve) => whenIdle(resolve))
}

/** Well below what people and servers notice as a stall. */
const longestMs = 15

/**
 * A function to call between the steps of long work: now and then it returns a promise to await, which resolves when the
 * event loop has done its other work.
 */
export function pauses(): () => Promise<void> | undefined {
  let since = performance.now()
  async function pause(): Promise<void> {
    await turn()
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
  for (;;) {
    // Also before the first step: what came before may have been long.
    await turn()
    signal?.throwIfAborted()
    const until = performance.now() + longestMs
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (performance.now() < until)
  }
}
