import type { TenfoldError } from '../errors.ts'
import { appendNumbered, listNumbers, type NumberedLog, readNumbered } from '../storage/numbered-log.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, decodeJson } from '../storage/stored-json.ts'
import { historyKey, historyPrefix } from './bundle-keys.ts'
import { type HistoryEntry, historyEntrySchema } from './history-entry.ts'
import { prunedKey } from './pruned-keys.ts'

const parallelReads = 32

/** The place of an entry: its track and its number there. */
export interface EntryPlace {
  readonly track: string
  readonly sequence: number
}

function historyOf(track: string): NumberedLog<HistoryEntry> {
  return {
    prefix: historyPrefix(track),
    title: `track ${track}`,
    decode: (key, bytes, sequence) => {
      const entry = decodeJson(key, bytes, historyEntrySchema)
      if (entry.sequence !== sequence || entry.track !== track)
        throw damaged(key, `it says that it is entry ${entry.sequence} of track ${entry.track}`)
      return entry
    },
    // A pruned entry keeps its number: a stale hint may be before the gap that it left.
    isRetired: async (storage, sequence) =>
      (await storage.get(prunedKey(historyKey(track, sequence)))) !== undefined,
  }
}

/** Returns the entry at a place, undefined if there is none, or the error that says how it is damaged. */
export async function readEntry(
  storage: Storage,
  place: EntryPlace,
): Promise<HistoryEntry | TenfoldError | undefined> {
  return await readNumbered(storage, historyOf(place.track), place.sequence)
}

/** Returns the numbers of a track's entries in ascending order. */
export async function listSequences(storage: Storage, track: string): Promise<number[]> {
  return await listNumbers(storage, historyPrefix(track))
}

/**
 * Returns the entries at the given places, in their order. Damaged ones go to `onDamaged`; those deleted in the
 * meantime are left out.
 */
export async function readEntries(
  storage: Storage,
  places: readonly EntryPlace[],
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = []
  for (let start = 0; start < places.length; start += parallelReads) {
    const batch = places.slice(start, start + parallelReads)
    for (const entry of await Promise.all(batch.map((place) => readEntry(storage, place)))) {
      if (entry instanceof Error) onDamaged(entry)
      else if (entry !== undefined) entries.push(entry)
    }
  }
  return entries
}

/** Appends to the history of a track, see {@link appendNumbered}. */
export async function appendEntry(
  storage: Storage,
  track: string,
  make: (sequence: number) => HistoryEntry,
  options: { readonly hint?: number; readonly signal?: AbortSignal } = {},
): Promise<HistoryEntry> {
  return await appendNumbered(storage, historyOf(track), make, options)
}
