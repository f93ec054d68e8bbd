import { TenfoldError } from '../errors.ts'
import type { Storage } from './storage.ts'

/** Tells a lost conditional put, across copies of the package. */
export function isConflict(error: unknown): boolean {
  return TenfoldError.isInstance(error) && error.code === 'storage-conflict'
}

/** Puts bytes under a key that is not taken; false where it is. */
export async function putIfAbsent(storage: Storage, key: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await storage.put(key, bytes, { ifAbsent: true })
    return true
  } catch (error) {
    if (!isConflict(error)) throw error
    return false
  }
}
