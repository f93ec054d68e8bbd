import type { Storage } from '@tenfold/core'

/** The simulated end of the process: nothing it does afterwards has an effect. */
class Crash extends Error {}

export interface CrashPoint {
  storage(inner: Storage): Storage
  readonly fetch: typeof fetch
  /** Points that were reached. */
  reached(): number
  crashed(): boolean
}

/**
 * Ends everything at the `n`-th point: before and after each write to the storage and each request to a server (the
 * answer is lost then), and before each read.
 */
export function crashAt(n: number): CrashPoint {
  let points = 0
  const point = (): void => {
    points += 1
    if (points >= n) throw new Crash(`crash at point ${n}`)
  }
  return {
    reached: () => points,
    crashed: () => points >= n,
    storage: (inner) => ({
      name: inner.name,
      async get(key) {
        // A clock renews the lease, which must not move the other points.
        if (!key.endsWith('lease.json')) point()
        else if (points >= n) throw new Crash('dead')
        return await inner.get(key)
      },
      async put(key, bytes, condition) {
        point()
        const stored = await inner.put(key, bytes, condition)
        point()
        return stored
      },
      async *list(prefix, options) {
        point()
        yield* inner.list(prefix, options)
      },
      async delete(key) {
        point()
        await inner.delete(key)
      },
    }),
    fetch: async (input, init) => {
      point()
      const response = await fetch(input, init)
      // The server has already done its work.
      await response.clone().arrayBuffer()
      point()
      return response
    },
  }
}
