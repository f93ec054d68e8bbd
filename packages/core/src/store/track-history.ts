import { StorageError, type TenfoldError } from '../errors.ts'
import { historyKey, historyPrefix, parseHistoryKey } from './bundle-keys.ts'
import { type HistoryEntry, historyEntrySchema } from './history-entry.ts'
import { putIfAbsent } from './put-if-absent.ts'
import type { Storage } from './storage.ts'
import { damaged, decodeJson, decodeOrFault, encodeJson } from './stored-json.ts'

const maxSequence = 99_999_999
const maxAttempts = 1_000
const attemptsPerLook = 16
const parallelReads = 32

/** Where an entry stands: its track and its number there. */
export interface EntryPlace {
  readonly track: string
  readonly sequence: number
}

/** Entry at a place, undefined where there is none, or the error that says how it is damaged. */
export async function readEntry(
  storage: Storage,
  place: EntryPlace,
): Promise<HistoryEntry | TenfoldError | undefined> {
  const stored = await storage.get(historyKey(place.track, place.sequence))
  return stored && decodeOrFault(() => decodeEntry(place, stored.bytes))
}

function decodeEntry({ track, sequence }: EntryPlace, bytes: Uint8Array): HistoryEntry {
  const key = historyKey(track, sequence)
  const entry = decodeJson(key, bytes, historyEntrySchema)
  if (entry.sequence !== sequence || entry.track !== track)
    throw damaged(key, `it says that it is entry ${entry.sequence} of track ${entry.track}`)
  return entry
}

/** Numbers of a track's entries, rising. */
export async function listSequences(storage: Storage, track: string): Promise<number[]> {
  const numbers: number[] = []
  for await (const { key } of storage.list(historyPrefix(track))) {
    const place = parseHistoryKey(key)
    if (place !== undefined) numbers.push(place.sequence)
  }
  return numbers
}

/** Entries at the places given, in their order. Damaged ones go to `onDamaged`; those deleted meanwhile are left out. */
export async function readEntries(
  storage: Storage,
  places: readonly EntryPlace[],
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = []
  for (let start = 0; start < places.length; start += parallelReads) {
    const batch = places.slice(start, start + parallelReads)
    const stored = await Promise.all(
      batch.map((place) => storage.get(historyKey(place.track, place.sequence))),
    )
    for (const [index, place] of batch.entries()) {
      const bytes = stored[index]?.bytes
      if (bytes === undefined) continue
      const entry = decodeOrFault(() => decodeEntry(place, bytes))
      if (entry instanceof Error) onDamaged(entry)
      else entries.push(entry)
    }
  }
  return entries
}

/**
 * Puts an entry under the next free number of a track: the commit point of a save. `hint` is a number that is known to
 * be taken. Throws StorageError, retryable, where a thousand numbers in a row went to others.
 */
export async function appendEntry(
  storage: Storage,
  track: string,
  make: (sequence: number) => HistoryEntry,
  options: { readonly hint?: number; readonly signal?: AbortSignal } = {},
): Promise<HistoryEntry> {
  let sequence = (options.hint ?? (await headOf(storage, track))) + 1
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    options.signal?.throwIfAborted()
    const key = historyKey(track, sequence)
    if (sequence > maxSequence)
      throw new StorageError(key, `the history of track ${track} is full; use a new track`)
    const entry = make(sequence)
    const bytes = encodeJson(entry)
    if (await putIfAbsent(storage, key, bytes)) return entry
    // A put whose answer was lost and that was sent again meets its own entry.
    const stored = await storage.get(key)
    if (stored !== undefined && Buffer.compare(stored.bytes, bytes) === 0) return entry
    if (stored !== undefined) sequence += 1
    if (attempt % attemptsPerLook === 0) sequence = Math.max(sequence, (await headOf(storage, track)) + 1)
  }
  throw new StorageError(
    historyKey(track, sequence),
    `track ${track}: other writers took every number; try again`,
    {
      retryable: true,
    },
  )
}

async function headOf(storage: Storage, track: string): Promise<number> {
  return (await listSequences(storage, track)).at(-1) ?? 0
}
