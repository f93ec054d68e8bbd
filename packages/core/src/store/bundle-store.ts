import { bundleToMarkdown } from '../bundle/markdown.ts'
import { type ContextBundle, parseBundle } from '../bundle/schema.ts'
import type { TenfoldError } from '../errors.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import type { Session } from '../session/session.ts'
import type { Storage } from '../storage/storage.ts'
import { withSignal } from '../storage/with-signal.ts'
import { type ArchivableLog, type ArchivedLog, archiveLog } from './archive/archive-log.ts'
import { type ArchivedFile, readArchive } from './archive/read-archive.ts'
import { bundleKey, bundleMarkdownKey } from './bundle-keys.ts'
import type { HistoryEntry } from './history-entry.ts'
import { findLatest, type LatestBundle, renewLatest } from './latest.ts'
import { type BundleFilter, listEntries } from './list-entries.ts'
import { bundleTracks, readStoredBundle, resolveBundleId } from './stored-bundle.ts'
import { listPlaces, type NextTimeOptions } from './track-places.ts'
import { assertTrack, nextTime, readCommitted, saveToTrack } from './track-store.ts'

/** A durable save. `warning` says why LATEST lags behind it, if it does; readers find the bundle anyway. */
export interface SavedBundle {
  readonly id: string
  readonly key: string
  readonly markdownKey: string
  readonly track: string
  readonly warning?: string
}

/** Options of {@link bundleStore}. */
export interface BundleStoreOptions {
  /** Receives each damaged history entry; the others are still listed. @default throws it */
  readonly onDamaged?: ((error: TenfoldError) => void) | undefined
}

/** Bundles and archived logs in a {@link Storage}. All functions throw {@link StorageError} if the storage fails. */
export interface BundleStore {
  readonly storage: Storage
  /**
   * Saves a bundle, its Markdown, then the entry that commits it to its track, then LATEST. Once it returns, the save
   * is durable; saving the same bundle again changes nothing. Throws {@link InvalidBundleError}, or
   * {@link StorageConflictError} if another bundle has its id. `signal` has effect until the commit.
   */
  save(bundle: ContextBundle, options?: AbortableOptions): Promise<SavedBundle>
  /**
   * Returns the time for the id of the next bundle of a track: when its session ended, so that an old session does not
   * displace a newer one, and later than what another clock put into the future.
   */
  nextTime(track: string, options?: NextTimeOptions): Promise<Date>
  /**
   * Returns the bundle of an id, or of the beginning of one, even if prune moved it. Throws if it is missing, ambiguous
   * or damaged.
   */
  load(id: string, options?: AbortableOptions): Promise<ContextBundle>
  /** How the stored bytes of a bundle differ from those that its entry names; undefined if they match. Reads all entries. */
  faultOf(id: string): Promise<string | undefined>
  /** Returns the newest intact bundle of a track, undefined for an unknown track; see `repaired`. */
  latest(track: string, options?: AbortableOptions): Promise<LatestBundle | undefined>
  /** Returns all saves of a track, oldest first. */
  history(track: string, options?: AbortableOptions): Promise<HistoryEntry[]>
  /**
   * Returns all matching saves of all tracks, oldest first; with a `limit` the newest of them, without reading all
   * history.
   */
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

/** Keeps bundles in a storage: immutable bundles, an entry for each on its track, and LATEST as a copy of the newest. */
export function bundleStore(storage: Storage, options: BundleStoreOptions = {}): BundleStore {
  const onDamaged =
    options.onDamaged ??
    ((error) => {
      throw error
    })

  async function list(filter: BundleFilter = {}, { signal }: AbortableOptions = {}): Promise<HistoryEntry[]> {
    if (filter.track !== undefined) assertTrack(bundleTracks, filter.track)
    return await listEntries(withSignal(storage, signal), filter, onDamaged)
  }

  return {
    storage,
    list,
    history: (track, abortable) => list({ track }, abortable),
    async save(bundle, { signal } = {}) {
      const value = parseBundle(bundle)
      const { id, track } = value
      assertTrack(bundleTracks, track)
      await saveToTrack(storage, bundleTracks, { value, markdown: bundleToMarkdown(value), signal })
      // The save is durable: what goes wrong from here on is a warning.
      const warning = await renewLatest(storage, track)
      const keys = { key: bundleKey(id), markdownKey: bundleMarkdownKey(id) }
      return { id, ...keys, track, ...(warning !== undefined && { warning }) }
    },
    async nextTime(track, timeOptions) {
      assertTrack(bundleTracks, track)
      return await nextTime(storage, bundleTracks, track, timeOptions)
    },
    async load(id, { signal } = {}) {
      const abortable = withSignal(storage, signal)
      return await readStoredBundle(abortable, await resolveBundleId(abortable, id))
    },
    async faultOf(id) {
      const entries = await listEntries(storage, {}, () => undefined)
      const entry = entries.find((each) => each.id === id)
      const found = entry && (await readCommitted(storage, bundleTracks, entry))
      return typeof found === 'string' ? found : undefined
    },
    async latest(track, { signal } = {}) {
      assertTrack(bundleTracks, track)
      return await findLatest(withSignal(storage, signal), track)
    },
    async tracks() {
      return [...new Set((await listPlaces(storage, bundleTracks)).map((place) => place.track))].sort()
    },
    async findBySource(sha256, abortable) {
      return (await list({}, abortable)).filter((entry) => entry.sourceSha256 === sha256)
    },
    archive: (log, source, archiveOptions) => archiveLog(storage, log, source, archiveOptions),
    readArchive: (sha256) => readArchive(storage, sha256),
  }
}
