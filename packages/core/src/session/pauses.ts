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
