import { createdAtOf } from '../bundle/bundle-id.ts'
import type { BundleKind } from '../bundle/bundle-names.ts'
import type { TenfoldError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { type EntryIndex, indexedEntry, readEntryIndex, writeEntryIndex } from './entry-index.ts'
import { bundleEntries, type HistoryEntry } from './history-entry.ts'
import { listPlaces, type Place } from './track-places.ts'
import { readEntries } from './track-store.ts'

/** Which entries `list` returns; an absent field does not matter. */
export interface BundleFilter {
  /** Only bundles of this track. */
  readonly track?: string | undefined
  /** Only bundles of this kind. */
  readonly kind?: BundleKind | undefined
  /** Only bundles of this session. */
  readonly sessionId?: string | undefined
  /** Only bundles of this task. */
  readonly task?: string | undefined
  /** Made at this time or later. */
  readonly since?: Date | undefined
  /** Made before this time. */
  readonly until?: Date | undefined
  /** Only the newest ones, at most this many. Entries are read from the newest back until they are found. */
  readonly limit?: number | undefined
}

/** Returns the matching entries without damaged ones, which must not keep other work from being done. */
export async function readableEntries(storage: Storage, filter: BundleFilter): Promise<HistoryEntry[]> {
  return await listEntries(storage, filter, () => undefined)
}

/** Number of entries read at a time if the newest ones do not match. From so many, their copy is read instead. */
const laterReads = 64

/** Share of a history that may be missing in its copy before that is written again. */
const maxMissing = 1 / 16

/** Returns all matching entries, of one track or of all, oldest first. Damaged ones go to `onDamaged`. */
export async function listEntries(
  storage: Storage,
  filter: BundleFilter,
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const places = (await listPlaces(storage, bundleEntries, filter.track)).filter(({ id }) =>
    isInTime(createdAtOf(id), filter),
  )
  const { limit = places.length } = filter
  let index: EntryIndex | undefined
  const read = async (some: readonly Place[]): Promise<HistoryEntry[]> => {
    if (some.length < laterReads) return await readEntries(storage, bundleEntries, some, onDamaged)
    index ??= await readEntryIndex(storage)
    const isAll = some.length === places.length && !filter.track && !filter.since && !filter.until
    return await readThrough(storage, { index, isAll }, some, onDamaged)
  }
  const found: HistoryEntry[] = []
  let size = limit
  for (let end = places.length; end > 0 && found.length < limit; size = Math.max(size, laterReads)) {
    const start = Math.max(0, end - size)
    const entries = await read(places.slice(start, end))
    found.unshift(...entries.filter((entry) => matches(entry, filter)))
    end = start
  }
  return found.slice(Math.max(0, found.length - limit))
}

/** Reads what the copy of the history lacks, and writes it again if that is much. */
async function readThrough(
  storage: Storage,
  { index, isAll }: { readonly index: EntryIndex; readonly isAll: boolean },
  places: readonly Place[],
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const held = places.map((place) => indexedEntry(index, place))
  const missing = places.filter((_, at) => held[at] === undefined)
  const read = await readEntries(storage, bundleEntries, missing, onDamaged)
  const byId = new Map(read.map((entry) => [`${entry.track}/${entry.id}`, entry]))
  const entries = places.map(({ track, id }, at) => held[at] ?? byId.get(`${track}/${id}`))
  if (missing.length > Math.max(laterReads, places.length * maxMissing)) {
    const now = new Map(isAll ? [] : index)
    for (const [at, place] of places.entries()) {
      const entry = entries[at]
      if (entry !== undefined) now.set(place.key, entry)
    }
    await writeEntryIndex(storage, now)
  }
  return entries.filter((entry) => entry !== undefined)
}

function matches(entry: HistoryEntry, filter: BundleFilter): boolean {
  return (
    (filter.kind === undefined || entry.kind === filter.kind) &&
    (filter.sessionId === undefined || entry.sessionId === filter.sessionId) &&
    (filter.task === undefined || entry.task === filter.task) &&
    isInTime(entry.createdAt, filter)
  )
}

function isInTime(time: string, { since, until }: BundleFilter): boolean {
  return (
    (since === undefined || time >= since.toISOString()) &&
    (until === undefined || time < until.toISOString())
  )
}
