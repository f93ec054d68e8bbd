import { setTimeout as wait } from 'node:timers/promises'
import { StorageError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'

/** A storage whose calls all go to `before` and `after`, which may throw. */
export function watchedStorage(
  inner: Storage,
  {
    before = () => {},
    after = () => {},
  }: { before?: (call: string) => unknown; after?: (call: string) => unknown },
): Storage {
  const around = async <T>(call: string, run: () => Promise<T>): Promise<T> => {
    await before(call)
    const result = await run()
    await after(call)
    return result
  }
  return {
    name: inner.name,
    get: (key) => around(`get ${key}`, () => inner.get(key)),
    put: (key, bytes, condition) => around(`put ${key}`, () => inner.put(key, bytes, condition)),
    delete: (key) => around(`delete ${key}`, () => inner.delete(key)),
    async *list(prefix, options) {
      await before(`list ${prefix}`)
      yield* inner.list(prefix, options)
      await after(`list ${prefix}`)
    },
  }
}

/** A storage in memory whose calls take a while, so that parallel writers collide. */
export function slowStorage(): Storage {
  return watchedStorage(memoryStorage(), { before: () => wait(Math.random() * 3) })
}

/** Throws at call `n`, and at all later ones as well if the process counts as dead. */
export function failingStorage(
  inner: Storage,
  n: number,
  how: { readonly when: 'before' | 'after'; readonly dead: boolean },
): { readonly storage: Storage; calls(): number } {
  let calls = 0
  const fail = (): void => {
    if (calls === n || (how.dead && calls > n)) throw new StorageError('', `call ${calls} failed`)
  }
  const count = (): void => {
    calls++
    if (how.when === 'before' || calls > n) fail()
  }
  const storage = watchedStorage(inner, { before: count, after: how.when === 'after' ? fail : () => {} })
  return { storage, calls: () => calls }
}
