import { createHash } from 'node:crypto'
import { StorageError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { historyIndexKey } from './archive/archive-keys.ts'
import type { HistoryEntry } from './history-entry.ts'
import type { Place } from './track-places.ts'

/** Raise it if entries get other fields. */
const version = 2

/** The entries of a history by their keys. */
export type EntryIndex = ReadonlyMap<string, HistoryEntry>

/**
 * Reads the copy of all entries, which is one object in place of thousands: a line with its digest, and the entries. They
 * were checked when they were written there, and are never changed: what the copy says of a listed one holds.
 */
export async function readEntryIndex(storage: Storage): Promise<EntryIndex> {
  const stored = await storage.get(historyIndexKey)
  const text = stored === undefined ? '' : Buffer.from(stored.bytes).toString('utf8')
  const end = text.indexOf('\n')
  // What is damaged or of another version is made again.
  return text.slice(0, end) === headOf(text.slice(end + 1))
    ? new Map(JSON.parse(text.slice(end + 1)))
    : new Map()
}

function headOf(json: string): string {
  return `tenfold-history ${version} ${createHash('sha256').update(json).digest('hex')}`
}

export function indexedEntry(index: EntryIndex, { key, id, track }: Place): HistoryEntry | undefined {
  const entry = index.get(key)
  return entry?.id === id && entry.track === track ? entry : undefined
}

/** Writes the copy. A store that cannot be written to stays without it. */
export async function writeEntryIndex(storage: Storage, entries: EntryIndex): Promise<void> {
  try {
    const json = JSON.stringify([...entries])
    await storage.put(historyIndexKey, Buffer.from(`${headOf(json)}\n${json}`))
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}
