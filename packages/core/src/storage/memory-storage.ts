import { createHash } from 'node:crypto'
import { StorageConflictError } from '../errors.ts'
import type { Storage } from './storage.ts'
import { assertStorageKey } from './storage-key.ts'

/** Creates a storage in memory, for tests and dry runs. The etag of equal bytes differs with each put. */
export function memoryStorage(): Storage {
  const objects = new Map<string, { readonly bytes: Uint8Array; readonly etag: string }>()
  let puts = 0

  return {
    name: 'memory',
    async get(key) {
      assertStorageKey(key)
      const found = objects.get(key)
      return found && { bytes: found.bytes.slice(), etag: found.etag }
    },
    async put(key, bytes, condition = {}) {
      assertStorageKey(key)
      const found = objects.get(key)
      if (condition.ifAbsent === true && found !== undefined)
        throw new StorageConflictError(key, `memory: ${key} exists already`)
      if (condition.ifMatch !== undefined && condition.ifMatch !== found?.etag)
        throw new StorageConflictError(
          key,
          `memory: ${key} ${found ? 'was changed meanwhile' : 'does not exist'}`,
        )
      const copy = Uint8Array.from(bytes)
      puts += 1
      const etag = `${createHash('sha256').update(copy).digest('hex')}-${puts}`
      objects.set(key, { bytes: copy, etag })
      return { etag }
    },
    async *list(prefix, { after = '' } = {}) {
      // Keys are ASCII, so code units sort like UTF-8 bytes.
      const keys = [...objects.keys()].filter((key) => key > after && key.startsWith(prefix)).sort()
      for (const key of keys) {
        const found = objects.get(key)
        if (found !== undefined) yield { key, size: found.bytes.byteLength }
      }
    },
    async delete(key) {
      assertStorageKey(key)
      objects.delete(key)
    },
  }
}
