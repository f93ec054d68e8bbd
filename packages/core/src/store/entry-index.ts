import { StorageError } from '../errors.ts'
import { fieldsOf } from '../session/json-values.ts'
import type { Storage } from '../storage/storage.ts'
import { historyIndexKey } from './archive/archive-keys.ts'
import { type HistoryEntry, historyEntrySchema } from './history-entry.ts'
import type { Place } from './track-places.ts'

/** Raise it if entries get other fields. */
const version = 1

/** The entries of a history by their keys, each with the size of the object that it was read from. */
export type EntryIndex = ReadonlyMap<string, readonly [size: number, entry: unknown]>

/**
 * Reads the copy of all entries, which is one object in place of thousands. Entries are written once and never changed,
 * so what it says of a listed one holds; what is damaged in it is read from the entry itself.
 */
export async function readEntryIndex(storage: Storage): Promise<EntryIndex> {
  const stored = await storage.get(historyIndexKey)
  if (stored === undefined) return new Map()
  try {
    const { version: written, entries } = fieldsOf(JSON.parse(Buffer.from(stored.bytes).toString('utf8')))
    return new Map(written === version && Array.isArray(entries) ? entries : [])
  } catch {
    // It is made again.
    return new Map()
  }
}

export function indexedEntry(index: EntryIndex, { key, id, track, size }: Place): HistoryEntry | undefined {
  const [listed, value] = index.get(key) ?? []
  if (listed !== size) return undefined
  const { success, data } = historyEntrySchema.safeParse(value)
  return success && data.id === id && data.track === track ? data : undefined
}

/** Writes the copy. A store that cannot be written to stays without it. */
export async function writeEntryIndex(storage: Storage, entries: EntryIndex): Promise<void> {
  try {
    await storage.put(historyIndexKey, Buffer.from(JSON.stringify({ version, entries: [...entries] })))
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}
