import type { Storage } from '../../src/storage/storage.ts'

/** Lets `calls` calls pass and then fails all, like a process that was killed. */
export function cutOffStorage(storage: Storage, calls: number): Storage {
  let left = calls
  const pass = (): void => {
    if (left-- <= 0) throw new Error('killed')
  }
  return {
    name: storage.name,
    async get(key) {
      pass()
      return await storage.get(key)
    },
    async put(key, value, condition) {
      pass()
      return await storage.put(key, value, condition)
    },
    async *list(prefix, options) {
      pass()
      yield* storage.list(prefix, options)
    },
    async delete(key) {
      pass()
      await storage.delete(key)
    },
  }
}

/** Runs on a new storage with 0, 1, 2 … calls, or fewer by a step, until it ends well; returns with how many it did. */
export async function cutOffEverywhere(
  make: () => Promise<Storage>,
  run: (storage: Storage) => Promise<unknown>,
  check: (storage: Storage, calls: number) => Promise<void>,
  step = 1,
): Promise<number> {
  for (let calls = 0; ; calls += step) {
    const storage = await make()
    let ended = true
    await run(cutOffStorage(storage, calls)).catch((error: unknown) => {
      if (!(error instanceof Error && error.message === 'killed')) throw error
      ended = false
    })
    await check(storage, calls)
    if (ended) return calls
  }
}
