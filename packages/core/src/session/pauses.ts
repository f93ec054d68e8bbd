// As they were when this was loaded: tests put others in their place. Browsers have no `setImmediate`.
const { setImmediate: whenIdle = setTimeout } = globalThis

let lastTurn: Promise<void> = Promise.resolve()
let turnedAt = performance.now()

/** Resolves when the event loop has done its other work. Each one that waits gets a turn of its own. */
function turn(): Promise<void> {
  lastTurn = lastTurn
    .then(() => new Promise<void>((resolve) => whenIdle(resolve)))
    .then(() => {
      turnedAt = performance.now()
    })
  return lastTurn
}

/** Well below what people and servers notice as a stall. */
const longestMs = 10

/** Counts from the last turn, whoever took it: short pieces of work one after another hold up the event loop as a long one. */
function isDue(): boolean {
  return performance.now() - turnedAt >= longestMs
}

/**
 * To be called between the steps of long work: now and then it returns a promise to await, which resolves when the event
 * loop has done its other work.
 */
export function pause(): Promise<void> | undefined {
  return isDue() ? turn() : undefined
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
    // Also before the first step, so that an abort is seen.
    await turn()
    signal?.throwIfAborted()
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (!isDue())
  }
}
