import type { ContextBundle } from '../bundle/schema.ts'
import type { TenfoldError } from '../errors.ts'
import { aStorage } from '../options/check.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import type { Session } from '../session/session.ts'
import type { Storage } from '../storage/storage.ts'
import { withSignal } from '../storage/with-signal.ts'
import type { ArchivableLog, ArchivedLog } from './archive/archive-log.ts'
import type { ArchivedFile } from './archive/read-archive.ts'
import { type BundleFilter, bundleEntries, type HistoryEntry, listEntries } from './history.ts'
import type { SavedBundle } from './save-to-store.ts'
import type { LatestBundle } from './stored-bundle.ts'
import { findNextTime, listTracks, type NextTimeOptions, placesBack } from './track-places.ts'
import { assertTrack } from './track-store.ts'

/** Options of {@link bundleStore}. */
export interface BundleStoreOptions {
  /** Receives each damaged history entry; the others are still listed. @default throws it */
  readonly onDamaged?: ((error: TenfoldError) => void) | undefined
}

/** Bundles and archived logs in a {@link Storage}. All functions throw {@link StorageError} if the storage fails. */
export interface BundleStore {
  /** Where the bundles are kept. */
  readonly storage: Storage
  /**
   * Saves a bundle, its Markdown, then the entry that commits it to its track, then LATEST. Once it returns, the save
   * is durable; saving the same bundle again changes nothing. Throws {@link InvalidBundleError}, or {@link
   * StorageConflictError} if another bundle has its id. `signal` has no effect after the commit.
   */
  save(bundle: ContextBundle, options?: AbortableOptions): Promise<SavedBundle>
  /**
   * Returns the time for the id of the next bundle of a track: when its session ended, so that an old session does not
   * displace a newer one, but later than entries that another clock dated into the future.
   */
  nextTime(track: string, options?: NextTimeOptions): Promise<Date>
  /**
   * Returns a bundle by its id or the beginning of its id, even if prune moved it. Throws if it is missing, ambiguous
   * or damaged.
   */
  load(id: string, options?: AbortableOptions): Promise<ContextBundle>
  /** Returns how the stored bytes of a bundle differ from its entry; undefined if they match. Reads all entries. */
  faultOf(id: string): Promise<string | undefined>
  /** Returns the newest intact bundle of a track, undefined for an unknown track; see `repaired`. */
  latest(track: string, options?: AbortableOptions): Promise<LatestBundle | undefined>
  /** Returns all saves of a track, oldest first. */
  history(track: string, options?: AbortableOptions): Promise<HistoryEntry[]>
  /** Returns all matching saves of all tracks, oldest first; with `limit` only the newest, without reading all history. */
  list(filter?: BundleFilter, options?: AbortableOptions): Promise<HistoryEntry[]>
  /** Returns the names of all tracks, sorted. */
  tracks(): Promise<string[]>
  /** Returns the saves whose bundle came from the log with this digest. Reads all history. */
  findBySource(sha256: string, options?: AbortableOptions): Promise<HistoryEntry[]>
  /** Archives the bytes that a session was read from; see {@link archiveLog}. */
  archive(log: ArchivableLog, source: Session['source'], options?: AbortableOptions): Promise<ArchivedLog>
  /** Yields the files of an archived log, by `Session.source.sha256`; see {@link readArchive}. */
  readArchive(sha256: string): AsyncIterable<ArchivedFile>
}

/**
 * Keeps bundles in a storage: immutable bundles, an entry for each on its track, and LATEST as a copy of the newest.
 * The code for whole bundles and archives is imported at its first use, because a list of bundles needs only the
 * entries.
 */
export function bundleStore(storage: Storage, options: BundleStoreOptions = {}): BundleStore {
  aStorage('storage', storage)
  async function list(filter: BundleFilter = {}, { signal }: AbortableOptions = {}): Promise<HistoryEntry[]> {
    if (filter.track !== undefined) assertTrack(bundleEntries, filter.track)
    return await listEntries(withSignal(storage, signal), filter, options.onDamaged)
  }

  return {
    storage,
    list,
    history: (track, abortable) => list({ track }, abortable),
    async save(bundle, { signal } = {}) {
      const { saveToStore } = await import('./save-to-store.ts')
      return await saveToStore(storage, bundle, signal)
    },
    async nextTime(track, timeOptions) {
      assertTrack(bundleEntries, track)
      return await findNextTime(storage, bundleEntries, track, timeOptions ?? {})
    },
    async load(id, { signal } = {}) {
      const abortable = withSignal(storage, signal)
      const { readStoredBundle, resolveBundleId } = await import('./stored-bundle.ts')
      return await readStoredBundle(abortable, await resolveBundleId(abortable, id), signal)
    },
    async faultOf(id) {
      const entries = await listEntries(storage, {}, () => undefined)
      const entry = entries.find((each) => each.id === id)
      return entry && (await (await import('./stored-bundle.ts')).faultOfEntry(storage, entry))
    },
    async latest(track, { signal } = {}) {
      assertTrack(bundleEntries, track)
      const abortable = withSignal(storage, signal)
      const back = placesBack(abortable, bundleEntries, track)
      const newest = await back.next()
      if (newest.done) return undefined
      const { findLatest } = await import('./stored-bundle.ts')
      return await findLatest(abortable, track, startingWith(newest.value, back))
    },
    tracks: () => listTracks(storage, bundleEntries),
    async findBySource(sha256, abortable) {
      return (await list({}, abortable)).filter((entry) => entry.sourceSha256 === sha256)
    },
    async archive(log, source, archiveOptions) {
      const { archiveLog } = await import('./archive/archive-log.ts')
      return await archiveLog(storage, log, source, archiveOptions)
    },
    async *readArchive(sha256) {
      const { readArchive } = await import('./archive/read-archive.ts')
      yield* readArchive(storage, sha256)
    },
  }
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}
