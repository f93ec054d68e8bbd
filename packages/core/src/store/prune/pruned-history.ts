import * as z from 'zod/mini'
import type { TenfoldError } from '../../errors.ts'
import { lazySchema } from '../../session/lazy-schema.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeJson, decodeOrFault, parseStoredJson } from '../../storage/stored-json.ts'
import { type HistoryEntry, historyEntrySchema } from '../history-entry.ts'
import { prunedKey } from '../pruned-keys.ts'
import type { Place } from '../track-places.ts'

const parallelReads = 32

/** The remains of a deleted bundle, which explain its absence. */
const tombstoneSchema = lazySchema(() => {
  const { track, id, sourceSha256 } = historyEntrySchema.shape
  return z.object({ schemaVersion: z.literal(1), track, id, sourceSha256, deleted: z.literal(true) })
})

export type Tombstone = z.infer<typeof tombstoneSchema>

/** Makes the tombstone of a bundle: the same bytes whoever deletes it, so that two copies of a store agree. */
export function tombstoneOf(entry: HistoryEntry): Tombstone {
  return {
    schemaVersion: 1,
    track: entry.track,
    id: entry.id,
    sourceSha256: entry.sourceSha256,
    deleted: true,
  }
}

/** Reads the objects in the places of pruned entries; for a damaged one returns the error that says so. */
export async function readPruned(
  storage: Storage,
  places: readonly Place[],
): Promise<(HistoryEntry | Tombstone | TenfoldError)[]> {
  const read = await inParallel(places, parallelReads, async (place) => {
    const key = prunedKey(place.key)
    const stored = await storage.get(key)
    return stored && decodeOrFault(() => decodePruned(key, stored.bytes))
  })
  return read.filter((one) => one !== undefined)
}

export function decodePruned(key: string, bytes: Uint8Array): HistoryEntry | Tombstone {
  const value = parseStoredJson(key, bytes)
  if (typeof value !== 'object' || value === null || !('deleted' in value))
    return decodeJson(key, bytes, historyEntrySchema)
  return decodeJson(key, bytes, tombstoneSchema)
}

export function isTombstone(pruned: HistoryEntry | Tombstone): pruned is Tombstone {
  return 'deleted' in pruned
}
