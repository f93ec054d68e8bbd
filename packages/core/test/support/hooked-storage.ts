import type { Storage } from '../../src/storage/storage.ts'

type Call = 'get' | 'put' | 'list' | 'delete'
type Hook = (call: Call, key: string) => Promise<void> | undefined

/**
 * A storage that runs a hook before each call, and another after it, to put calls of two callers in a certain order.
 */
export function hookedStorage(storage: Storage, before: Hook, after: Hook = () => undefined): Storage {
  const around = async <T>(call: Call, key: string, run: () => Promise<T>): Promise<T> => {
    await before(call, key)
    const result = await run()
    await after(call, key)
    return result
  }
  return {
    name: storage.name,
    get: (key) => around('get', key, () => storage.get(key)),
    put: (key, bytes, condition) => around('put', key, () => storage.put(key, bytes, condition)),
    async *list(prefix, options) {
      await before('list', prefix)
      yield* storage.list(prefix, options)
      await after('list', prefix)
    },
    delete: (key) => around('delete', key, () => storage.delete(key)),
  }
}

/** Runs a hook the first time that a call uses a key. */
export function once(call: Call, key: string, run: () => Promise<unknown>): Hook {
  let ran = false
  return (which, where) => {
    if (ran || which !== call || where !== key) return undefined
    ran = true
    return run().then(() => undefined)
  }
}
