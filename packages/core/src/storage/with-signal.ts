import type { Storage } from './storage.ts'

/** Returns a storage whose calls throw the reason of the signal once it is aborted. */
export function withSignal(storage: Storage, signal: AbortSignal | undefined): Storage {
  if (signal === undefined) return storage
  const { name, remote = false } = storage
  return {
    name,
    remote,
    async get(key) {
      signal.throwIfAborted()
      return await storage.get(key)
    },
    async put(key, bytes, condition) {
      signal.throwIfAborted()
      return await storage.put(key, bytes, condition)
    },
    async *list(prefix, options) {
      signal.throwIfAborted()
      for await (const object of storage.list(prefix, options)) {
        signal.throwIfAborted()
        yield object
      }
    },
    async delete(key) {
      signal.throwIfAborted()
      await storage.delete(key)
    },
  }
}
