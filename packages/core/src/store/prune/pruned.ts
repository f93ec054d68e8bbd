import * as z from 'zod/mini'
import { lazySchema } from '../../session/lazy-schema.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { putIfAbsent, putIfMatch } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeJson, decodeOrFault, encodeJson, parseStoredJson } from '../../storage/stored-json.ts'
import { archivedFileFault } from '../archive/read-archive.ts'
import { type HistoryEntry, historyEntrySchema } from '../history.ts'
import { bundleKey, bundleMarkdownKey, historyKey, prunedKey, prunedPrefix } from '../keys.ts'
import type { Place } from '../track-places.ts'
import { getDecoded } from '../track-store.ts'

/** Remains of a deleted bundle, which explain its absence. */
const tombstoneSchema = lazySchema(() => {
  const { track, id, sourceSha256 } = historyEntrySchema.shape
  return z.object({ schemaVersion: z.literal(1), track, id, sourceSha256, deleted: z.literal(true) })
})

type Tombstone = z.infer<typeof tombstoneSchema>

/** Decodes the object in place of an entry: the entry or a tombstone. */
export function decodePruned(key: string, bytes: Uint8Array): HistoryEntry | Tombstone {
  const value = parseStoredJson(key, bytes)
  const isEntry = typeof value !== 'object' || value === null || !('deleted' in value)
  return isEntry ? decodeJson(key, bytes, historyEntrySchema) : decodeJson(key, bytes, tombstoneSchema)
}

export function isTombstone(pruned: HistoryEntry | Tombstone): pruned is Tombstone {
  return 'deleted' in pruned
}

const parallelReads = 32

/** Reads the objects in place of pruned entries; returns an error for each damaged one. */
export async function readPruned(storage: Storage, places: readonly Place[]) {
  const read = await inParallel(places, parallelReads, ({ key }) =>
    getDecoded(storage, prunedKey(key), decodePruned),
  )
  return read.filter((one) => one !== undefined)
}

/** Returns the digest of an archived file's uncompressed content, from its key. */
export function archivedDigest(key: string): string | undefined {
  return /(?:^|\/)archive\/[0-9a-f]{2}\/([0-9a-f]{64})\.br$/.exec(key)?.[1]
}

/**
 * Whether one object may be kept for another of the same key: it has the same bytes; it is an intact archived file,
 * which another version may pack differently; or both are below `pruned/` and about one bundle, which one store
 * deleted.
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

/**
 * Copies an object below `pruned/` and reads the copy back. `absent` if the object does not exist (the copy may),
 * `differs` if the copy has other content.
 */
export async function copyToPruned(storage: Storage, key: string): Promise<'copied' | 'absent' | 'differs'> {
  const place = prunedKey(key)
  // Read before the object, because a prune that deletes puts its tombstone after the object is gone.
  const before = await storage.get(place)
  const stored = await storage.get(key)
  if (stored === undefined) return 'absent'
  if (before === undefined) await putIfAbsent(storage, place, stored.bytes)
  else if (await holdsSame(place, stored.bytes, before.bytes))
    await putIfMatch(storage, place, stored.bytes, before.etag)
  const copy = await storage.get(place)
  return copy !== undefined && Buffer.compare(copy.bytes, stored.bytes) === 0 ? 'copied' : 'differs'
}

/** Copies a moved object back; returns true if it then exists. */
export async function bringBack(storage: Storage, key: string): Promise<boolean> {
  const moved = await storage.get(prunedKey(key))
  if (moved === undefined) return (await storage.get(key)) !== undefined
  await putIfAbsent(storage, key, moved.bytes)
  return true
}

/** Copies a moved bundle back for an entry that was saved in the meantime; returns true if the bundle then exists. */
export async function bringBundleBack(storage: Storage, id: string): Promise<boolean> {
  await bringBack(storage, bundleMarkdownKey(id))
  return await bringBack(storage, bundleKey(id))
}

/**
 * Moves a bundle, its Markdown and its entry below `pruned/`: all copies first, the entry last, so that an interrupted
 * move is found again. Returns why the bundle was left unchanged, if it was.
 */
export async function moveBundle(storage: Storage, entry: HistoryEntry): Promise<string | undefined> {
  const json = bundleKey(entry.id)
  const markdown = bundleMarkdownKey(entry.id)
  const place = historyKey(entry.track, entry.id)
  const copied = await copyToPruned(storage, json)
  if (copied === 'differs') return `${prunedKey(json)} holds other bytes`
  if (copied === 'absent' && (await storage.get(prunedKey(json))) === undefined) return `${json} is missing`
  await copyToPruned(storage, markdown)
  if ((await copyToPruned(storage, place)) === 'differs') return `${prunedKey(place)} holds other bytes`
  for (const key of [markdown, json, place]) await storage.delete(key)
  return undefined
}

/** Deletes a moved bundle. Its entry is replaced last by a tombstone, with the same bytes in every copy of a store. */
export async function deleteMoved(
  storage: Storage,
  { track, id, sourceSha256 }: HistoryEntry,
): Promise<void> {
  await storage.delete(prunedKey(bundleMarkdownKey(id)))
  await storage.delete(prunedKey(bundleKey(id)))
  const tombstone: Tombstone = { schemaVersion: 1, track, id, sourceSha256, deleted: true }
  await storage.put(prunedKey(historyKey(track, id)), encodeJson(tombstone))
}
