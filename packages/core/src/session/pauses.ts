// Kept from the time of loading, because tests replace them. Browsers have no `setImmediate`.
const { setImmediate: whenIdle = setTimeout } = globalThis

let lastTurn: Promise<void> = Promise.resolve()
let turnedAt = performance.now()

/** Resolves when the event loop has done its other work. Each waiting caller gets a separate turn. */
function turn(): Promise<void> {
  lastTurn = lastTurn
    .then(() => new Promise<void>((resolve) => whenIdle(resolve)))
    .then(() => {
      turnedAt = performance.now()
    })
  return lastTurn
}

/** Maximum milliseconds of work between turns: well below what people and servers notice as a stall. */
const longestMs = 10

/** Measured from the last turn of any caller, because many short pieces of work stall the event loop like a long one. */
function isDue(): boolean {
  return performance.now() - turnedAt >= longestMs
}

/**
 * Called between the steps of long work. If enough time has passed, returns a promise that resolves when the event loop
 * has done its other work.
 */
export function pause(): Promise<void> | undefined {
  return isDue() ? turn() : undefined
}

/** Work that can pause wherever it yields. */
export type Steps<T> = Generator<void, T, void>

export function atOnce<T>(steps: Steps<T>): T {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Does the work with pauses for the event loop. Throws the reason of the signal if it aborts. */
export async function pausing<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    // Also before the first step, to notice an abort.
    await turn()
    signal?.throwIfAborted()
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (!isDue())
  }
}
