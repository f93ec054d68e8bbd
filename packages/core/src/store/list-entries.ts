import { createdAtOf } from '../bundle/bundle-id.ts'
import type { BundleKind } from '../bundle/bundle-names.ts'
import type { TenfoldError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { bundleEntries, type HistoryEntry } from './history-entry.ts'
import { listPlaces, type Place } from './track-places.ts'
import { readEntries } from './track-store.ts'

/** Which entries `list` returns; an absent field does not matter. */
export interface BundleFilter {
  readonly track?: string | undefined
  readonly kind?: BundleKind | undefined
  readonly sessionId?: string | undefined
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

/** Number of entries read at a time if the newest ones do not match. */
const laterReads = 64

/** Returns all matching entries, of one track or of all, oldest first. Damaged ones go to `onDamaged`. */
export async function listEntries(
  storage: Storage,
  filter: BundleFilter,
  onDamaged: (error: TenfoldError) => void,
): Promise<HistoryEntry[]> {
  const places = (await listPlaces(storage, bundleEntries, filter.track)).filter(
    ({ id, numbered }) => numbered || isInTime(createdAtOf(id), filter),
  )
  const { limit = places.length } = filter
  const read = async (some: readonly Place[]): Promise<HistoryEntry[]> =>
    (await readEntries(storage, bundleEntries, some, onDamaged)).filter((entry) => matches(entry, filter))
  const found: HistoryEntry[] = []
  let size = limit
  for (let end = places.length; end > 0 && found.length < limit; size = Math.max(size, laterReads)) {
    const start = Math.max(0, end - size)
    found.unshift(...(await read(places.slice(start, end))))
    end = start
  }
  return found.slice(Math.max(0, found.length - limit))
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
