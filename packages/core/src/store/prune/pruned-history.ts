import { z } from 'zod'
import type { TenfoldError } from '../../errors.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeJson, decodeOrFault, parseJson } from '../../storage/stored-json.ts'
import { historyKey } from '../bundle-keys.ts'
import { type HistoryEntry, historyEntrySchema } from '../history-entry.ts'
import { prunedKey } from '../pruned-keys.ts'
import type { EntryPlace } from '../track-history.ts'

const parallelReads = 32
const { sequence, track, id, sourceSha256 } = historyEntrySchema.shape

/** The remains of a deleted bundle: its number is not given again, and its absence is explained. */
const tombstoneSchema = z.object({
  schemaVersion: z.literal(1),
  ...{ sequence, track, id, sourceSha256 },
  deletedAt: z.iso.datetime({ precision: 3 }),
})

export type Tombstone = z.infer<typeof tombstoneSchema>

/** Returns the key of a pruned bundle's history entry, or of its tombstone. */
export function prunedEntryKey(place: EntryPlace): string {
  return prunedKey(historyKey(place.track, place.sequence))
}

/** Reads the object in the place of a pruned entry; for a damaged one returns the error that says so. */
export async function readPruned(
  storage: Storage,
  places: readonly EntryPlace[],
): Promise<(HistoryEntry | Tombstone | TenfoldError)[]> {
  const read = await inParallel(places, parallelReads, async (place) => {
    const key = prunedEntryKey(place)
    const stored = await storage.get(key)
    return stored && decodeOrFault(() => decodePruned(key, stored.bytes))
  })
  return read.filter((one) => one !== undefined)
}

export function decodePruned(key: string, bytes: Uint8Array): HistoryEntry | Tombstone {
  const value = parseJson(key, bytes)
  const deleted = typeof value === 'object' && value !== null && 'deletedAt' in value
  return deleted ? decodeJson(key, bytes, tombstoneSchema) : decodeJson(key, bytes, historyEntrySchema)
}

export function isTombstone(pruned: HistoryEntry | Tombstone): pruned is Tombstone {
  return 'deletedAt' in pruned
}
