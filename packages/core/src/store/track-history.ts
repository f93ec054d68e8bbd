import { StorageError, TenfoldError } from '../errors.ts'
import { historyKey, historyPrefix, parseHistoryKey } from './bundle-keys.ts'
import { type HistoryEntry, historyEntrySchema } from './history-entry.ts'
import type { Storage } from './storage.ts'
import { damaged, decodeJson, encodeJson } from './stored-json.ts'

const maxSequence = 99_999_999
const maxAttempts = 1_000
const attemptsPerLook = 16
const parallelReads = 32

/** Tells a lost conditional put, across copies of the package. */
export function isConflict(error: unknown): boolean {
  return TenfoldError.isInstance(error) && error.code === 'storage-conflict'
}

/** Entry `sequence` of a track, or undefined. Throws StorageError where it is damaged. */
export async function readEntry(storage: Storage, track: string, sequence: number): Promise<HistoryEntry | undefined> {
  const key = historyKey(track, sequence)
  const stored = await storage.get(key)
  if (stored === undefined) return undefined
  const entry = decodeJson(key, stored.bytes, historyEntrySchema)
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
  places: readonly { readonly track: string; readonly sequence: number }[],
  onDamaged: (error: StorageError) => void,
): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = []
  for (let start = 0; start < places.length; start += parallelReads) {
    const batch = places.slice(start, start + parallelReads).map(async ({ track, sequence }) => {
      try {
        return await readEntry(storage, track, sequence)
      } catch (error) {
        if (!isDamage(error)) throw error
        onDamaged(error)
        return undefined
      }
    })
    for (const entry of await Promise.all(batch)) if (entry !== undefined) entries.push(entry)
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
    if (sequence > maxSequence) throw new StorageError(key, `the history of track ${track} is full; use a new track`)
    const entry = make(sequence)
    const bytes = encodeJson(entry)
    try {
      await storage.put(key, bytes, { ifAbsent: true })
      return entry
    } catch (error) {
      if (!isConflict(error)) throw error
    }
    // A put whose answer was lost and that was sent again meets its own entry.
    const stored = await storage.get(key)
    if (stored !== undefined && Buffer.compare(stored.bytes, bytes) === 0) return entry
    if (stored !== undefined) sequence += 1
    if (attempt % attemptsPerLook === 0) sequence = Math.max(sequence, (await headOf(storage, track)) + 1)
  }
  throw new StorageError(historyKey(track, sequence), `track ${track}: other writers took every number; try again`, {
    retryable: true,
  })
}

async function headOf(storage: Storage, track: string): Promise<number> {
  return (await listSequences(storage, track)).at(-1) ?? 0
}

/** Tells an error about the content of an object from one of the store. */
export function isDamage(error: unknown): error is StorageError {
  return TenfoldError.isInstance(error) && error.code === 'storage-failed' && /^\S+ is damaged: /.test(error.message)
}
