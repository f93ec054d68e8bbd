import { StorageError, TenfoldError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'

const copyAttempts = 5

/**
 * Updates the copies for people. `look` returns their content, and may return the same map again if nothing changed. It
 * is repeated after writing, so that a slow writer does not leave an older copy. Returns what went wrong, if anything;
 * readers of the store do not need the copies.
 */
export async function renewCopies(
  storage: Storage,
  name: string,
  look: () => Promise<ReadonlyMap<string, Uint8Array>>,
): Promise<string | undefined> {
  if (storage.remote === true) return undefined
  try {
    let before: ReadonlyMap<string, Uint8Array> | undefined
    for (let attempt = 0; attempt < copyAttempts; attempt++) {
      const copies = await look()
      if (copies === before) return undefined
      before = copies
      let isChanged = false
      for (const [key, bytes] of copies) {
        const stored = await getCopy(storage, key)
        if (stored !== undefined && Buffer.compare(stored, bytes) === 0) continue
        await storage.put(key, bytes)
        isChanged = true
      }
      if (!isChanged) return undefined
    }
    return undefined
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    return `${name} was not renewed: ${error.message}`
  }
}

/** Returns the bytes of a copy; undefined if there is none, or if it cannot be read. */
export async function getCopy(storage: Storage, key: string): Promise<Uint8Array | undefined> {
  const stored = await readCopy(storage, key)
  return stored instanceof Error ? undefined : stored
}

export async function copyFault(
  storage: Storage,
  key: string,
  bytes: Uint8Array,
): Promise<string | undefined> {
  const stored = await readCopy(storage, key)
  if (stored instanceof Error) return stored.message
  if (stored === undefined || Buffer.compare(stored, bytes) === 0) return undefined
  return `${key} is not the copy that it should be`
}

async function readCopy(storage: Storage, key: string): Promise<Uint8Array | StorageError | undefined> {
  try {
    return (await storage.get(key))?.bytes
  } catch (error) {
    if (!(error instanceof StorageError) || error.retryable) throw error
    return error
  }
}
