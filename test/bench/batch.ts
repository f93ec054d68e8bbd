import { Worker } from 'node:worker_threads'

/** Seconds that `workers` threads take to compress the logs, each the next as soon as it is free; starting them is left out. */
export async function compressBatch(logs: readonly string[], workers: number): Promise<number> {
  const threads = Array.from(
    { length: workers },
    () => new Worker(new URL('batch-worker.js', import.meta.url)),
  )
  try {
    await Promise.all(threads.map(nextMessage))
    const queue = [...logs]
    const started = performance.now()
    await Promise.all(
      threads.map(async (thread) => {
        for (let log = queue.shift(); log !== undefined; log = queue.shift()) {
          const done = nextMessage(thread)
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

function nextMessage(thread: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      thread.removeAllListeners()
      act()
    }
    thread.once('message', (message) => settle(() => resolve(message)))
    thread.once('error', (error) => settle(() => reject(error)))
  })
}
