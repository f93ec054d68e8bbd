import { TenfoldError } from '../errors.ts'
import type { StagedBytes, Storage } from './storage.ts'

/** Puts bytes under a new key; returns false if the key exists. */
export async function putIfAbsent(storage: Storage, key: string, bytes: Uint8Array): Promise<boolean> {
  return await hasWon(storage.put(key, bytes, { ifAbsent: true }))
}

export async function putStagedIfAbsent(staged: StagedBytes, key: string): Promise<boolean> {
  return await hasWon(staged.put(key, { ifAbsent: true }))
}

async function hasWon(put: Promise<unknown>): Promise<boolean> {
  try {
    await put
    return true
  } catch (error) {
    if (!TenfoldError.isInstance(error) || error.code !== 'storage-conflict') throw error
    return false
  }
}

/**
 * Makes an existing object durable before anything relies on it, since its writer may have been killed before it synced
 * it.
 */
export async function confirmStored(storage: Storage, key: string): Promise<void> {
  const stored = await storage.get(key)
  if (stored !== undefined) await putIfAbsent(storage, key, stored.bytes)
}

/** Puts bytes under a key if its etag is unchanged; returns false if it is not. */
export async function putIfMatch(
  storage: Storage,
  key: string,
  bytes: Uint8Array,
  etag: string,
): Promise<boolean> {
  return await hasWon(storage.put(key, bytes, { ifMatch: etag }))
}
