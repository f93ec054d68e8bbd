import { putIfAbsent } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { prunedKey } from '../pruned-keys.ts'

/**
 * Copies an object below `pruned/` and reads the copy back. `absent` if there is none (the copy may exist), `differs`
 * if the copy holds other bytes.
 */
export async function copyToPruned(storage: Storage, key: string): Promise<'copied' | 'absent' | 'differs'> {
  const stored = await storage.get(key)
  if (stored === undefined) return 'absent'
  await putIfAbsent(storage, prunedKey(key), stored.bytes)
  const copy = await storage.get(prunedKey(key))
  return copy !== undefined && Buffer.compare(copy.bytes, stored.bytes) === 0 ? 'copied' : 'differs'
}

/** Copies a moved object back; returns true if it exists then. */
export async function bringBack(storage: Storage, key: string): Promise<boolean> {
  const moved = await storage.get(prunedKey(key))
  if (moved === undefined) return (await storage.get(key)) !== undefined
  await putIfAbsent(storage, key, moved.bytes)
  return true
}
