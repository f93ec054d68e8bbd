import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Returns the megabytes at which V8 ends a thread whose log may take `megabytes`. This must not be reached: an object
 * of more than 16 MB at the limit, such as a long string, ends the whole process ("Reached heap limit").
 */
export const endOfHeap = (megabytes: number): number => 4 * megabytes + 512

/** Calls `onOver` once live objects of this thread take more than `megabytes`. Returns a function that stops the watch. */
export function watchMemory(megabytes: number, onOver: () => void): () => void {
  const isOver = () => getHeapStatistics().used_heap_size > megabytes * 2 ** 20
  let nextLook = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (now < nextLook || !isOver()) return
    collectGarbage()
    // A heap that is almost full must not be collected all the time.
    nextLook = now + 10 * (performance.now() - now)
    if (!isOver()) return
    clearInterval(timer)
    onOver()
  }, everyMs)
  return () => clearInterval(timer)
}

const everyMs = 20

/** Does nothing if the engine lacks this flag; then garbage counts too. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const { gc } = runInNewContext('globalThis') as { readonly gc?: () => void }
  gc?.()
}
