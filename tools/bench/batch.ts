import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/**
 * Seconds that `workers` threads take to compress the logs, each the next when it is free; their start does not count.
 */
export async function compressBatch(logs: readonly string[], workers: number): Promise<number> {
  const threads = Array.from(
    { length: workers },
    () => new Worker(new URL('batch-worker.js', import.meta.url)),
  )
  try {
    await Promise.all(threads.map((thread) => once(thread, 'message')))
    const queue = [...logs]
    const started = performance.now()
    await Promise.all(
      threads.map(async (thread) => {
        for (let log = queue.shift(); log !== undefined; log = queue.shift()) {
          // Rejects if the thread fails.
          const done = once(thread, 'message')
          thread.postMessage(log)
          await done
        }
      }),
    )
    return (performance.now() - started) / 1000
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()))
  }
}
