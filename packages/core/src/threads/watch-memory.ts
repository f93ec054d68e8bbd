import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Megabytes at which V8 ends a thread whose log may take `megabytes`. It must not come to that: an object of more than
 * 16 MB at this limit, such as a long string, ends the whole process ("Reached heap limit").
 */
export const endOfHeap = (megabytes: number): number => 4 * megabytes + 512

/** Calls `onOver` once the objects of this thread, garbage apart, take more than `megabytes`. Returns what ends it. */
export function watchMemory(megabytes: number, onOver: () => void): () => void {
  const isOver = () => getHeapStatistics().used_heap_size > megabytes * 2 ** 20
  let nextLook = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (now < nextLook || !isOver()) return
    collectGarbage()
    // A heap that is full to the brim must not be collected all the time.
    nextLook = now + 10 * (performance.now() - now)
    if (!isOver()) return
    clearInterval(timer)
    onOver()
  }, everyMs)
  return () => clearInterval(timer)
}

const everyMs = 20

/** Does nothing where the engine has no such flag: garbage counts too then. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const { gc } = runInNewContext('globalThis') as { readonly gc?: () => void }
  gc?.()
}
