import type { BundleKind } from '../bundle/schema.ts'
import type { TenfoldError } from '../errors.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { parseHistoryKey } from './bundle-keys.ts'
import type { HistoryEntry } from './history-entry.ts'
import { type EntryPlace, listSequences, readEntries } from './track-history.ts'

/** Which entries `list` returns; an absent field does not matter. */
export interface BundleFilter {
  readonly track?: string
  readonly kind?: BundleKind
  readonly sessionId?: string
  readonly task?: string
  /** Made at this time or later. */
  readonly since?: Date
  /** Made before this time. */
  readonly until?: Date
  /** Only the newest ones, at most this many. History is read back from its end until they are found. */
  readonly limit?: number
}

const parallelTracks = 4
/** Number of entries read at a time if the last entries do not match. */
const laterReads = 64

/** Returns all matching entries, of one track or of all, oldest first. Damaged ones go to `onDamaged`. */
export async function listEntries(
  storage: Storage,
  filter: BundleFilter,
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const { limit } = filter
  const tracks = await sequencesByTrack(storage, filter.track)
  if (limit === undefined) {
    const places = [...tracks].flatMap(([track, sequences]) => placesOf(track, sequences))
    const entries = await readEntries(storage, places, onDamaged)
    return entries.filter((entry) => matches(entry, filter)).sort(byTime)
  }
  const newest = await inParallel([...tracks], parallelTracks, ([track, sequences]) =>
    readBack(storage, placesOf(track, sequences), { ...filter, limit }, onDamaged),
  )
  const entries = newest.flat().sort(byTime)
  return entries.slice(Math.max(0, entries.length - limit))
}

/** Returns the places of all history entries. */
export async function allPlaces(storage: Storage): Promise<EntryPlace[]> {
  const places: EntryPlace[] = []
  for await (const { key } of storage.list('tracks/')) {
    const place = parseHistoryKey(key)
    if (place !== undefined) places.push(place)
  }
  return places
}

async function sequencesByTrack(
  storage: Storage,
  only: string | undefined,
): Promise<Map<string, readonly number[]>> {
  if (only !== undefined) return new Map([[only, await listSequences(storage, only)]])
  const tracks = new Map<string, number[]>()
  for (const { track, sequence } of await allPlaces(storage)) {
    const sequences = tracks.get(track)
    if (sequences === undefined) tracks.set(track, [sequence])
    else sequences.push(sequence)
  }
  return tracks
}

function placesOf(track: string, sequences: readonly number[]): EntryPlace[] {
  return sequences.map((sequence) => ({ track, sequence }))
}

/** The last entries of a track that match, at most `limit`. */
async function readBack(
  storage: Storage,
  places: readonly EntryPlace[],
  filter: BundleFilter & { readonly limit: number },
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const found: HistoryEntry[] = []
  let size = filter.limit
  for (let end = places.length; end > 0 && found.length < filter.limit; size = Math.max(size, laterReads)) {
    const start = Math.max(0, end - size)
    const entries = await readEntries(storage, places.slice(start, end), onDamaged)
    found.unshift(...entries.filter((entry) => matches(entry, filter)))
    end = start
  }
  return found.slice(Math.max(0, found.length - filter.limit))
}

function matches(entry: HistoryEntry, filter: BundleFilter): boolean {
  return (
    (filter.kind === undefined || entry.kind === filter.kind) &&
    (filter.sessionId === undefined || entry.sessionId === filter.sessionId) &&
    (filter.task === undefined || entry.task === filter.task) &&
    (filter.since === undefined || entry.createdAt >= filter.since.toISOString()) &&
    (filter.until === undefined || entry.createdAt < filter.until.toISOString())
  )
}

/** By the time in the id, which is that of `createdAt`. */
function byTime(a: HistoryEntry, b: HistoryEntry): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : a.sequence - b.sequence
}
