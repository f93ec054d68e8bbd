import { putIfAbsent, putIfMatch } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { archivedFileFault } from '../archive/read-archive.ts'
import { prunedKey, prunedPrefix } from '../pruned-keys.ts'
import { decodePruned } from './pruned-history.ts'

/**
 * Copies an object below `pruned/` and reads the copy back. `absent` if there is none (the copy may exist), `differs`
 * if the copy holds something else.
 */
export async function copyToPruned(storage: Storage, key: string): Promise<'copied' | 'absent' | 'differs'> {
  const place = prunedKey(key)
  // Read first: a prune that deletes puts its tombstone after the object is gone.
  const before = await storage.get(place)
  const stored = await storage.get(key)
  if (stored === undefined) return 'absent'
  if (before === undefined) await putIfAbsent(storage, place, stored.bytes)
  else if (await holdsSame(place, stored.bytes, before.bytes))
    await putIfMatch(storage, place, stored.bytes, before.etag)
  const copy = await storage.get(place)
  return copy !== undefined && Buffer.compare(copy.bytes, stored.bytes) === 0 ? 'copied' : 'differs'
}

/**
 * Whether one object may be kept for another of the same key: it has the same bytes, is an intact archived file, which
 * another version may pack differently, or both are below `pruned/` and about one bundle, which one store deleted.
 */
export async function holdsSame(key: string, kept: Uint8Array, other: Uint8Array): Promise<boolean> {
  if (Buffer.compare(kept, other) === 0) return true
  const digest = archivedDigest(key)
  if (digest !== undefined) return (await archivedFileFault(key, kept, digest)) === undefined
  if (!key.startsWith(`${prunedPrefix}tracks/`)) return false
  const [a, b] = [kept, other].map((bytes) => decodeOrFault(() => decodePruned(key, bytes)))
  if (a === undefined || b === undefined || a instanceof Error || b instanceof Error) return false
  return a.id === b.id && a.track === b.track
}

/** The digest of the uncompressed content of an archived file, which its key names. */
export function archivedDigest(key: string): string | undefined {
  return /(?:^|\/)archive\/[0-9a-f]{2}\/([0-9a-f]{64})\.br$/.exec(key)?.[1]
}

/** Copies a moved object back; returns true if it exists then. */
export async function bringBack(storage: Storage, key: string): Promise<boolean> {
  const moved = await storage.get(prunedKey(key))
  if (moved === undefined) return (await storage.get(key)) !== undefined
  await putIfAbsent(storage, key, moved.bytes)
  return true
}
