import { bundleToMarkdown } from '../bundle/markdown.ts'
import { type ContextBundle, parseBundle } from '../bundle/schema.ts'
import { StorageConflictError, StorageError, type TenfoldError } from '../errors.ts'
import type { Session } from '../session/session.ts'
import { confirmStored, putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { assertStorageKey } from '../storage/storage-key.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { type ArchivableLog, type ArchivedLog, archiveLog } from './archive/archive-log.ts'
import { type ArchivedFile, readArchive } from './archive/read-archive.ts'
import { bundleKey, bundleMarkdownKey, historyKey } from './bundle-keys.ts'
import { type HistoryEntry, historyEntryOf } from './history-entry.ts'
import { advanceLatest, findLatest, type LatestBundle, readLatest } from './latest.ts'
import { allPlaces, type BundleFilter, listEntries } from './list-entries.ts'
import { readStoredBundle, resolveBundleId, verifyBundle } from './stored-bundle.ts'
import { appendEntry, listSequences, readEntries } from './track-history.ts'

/** A durable save. `warning` says why LATEST lags behind it, if it does; readers find the bundle anyway. */
export interface SavedBundle {
  readonly id: string
  readonly key: string
  readonly markdownKey: string
  readonly sequence: number
  readonly track: string
  readonly warning?: string
}

/** Options of {@link bundleStore}. */
export interface BundleStoreOptions {
  /** Receives each damaged history entry; the others are still listed. @default throws it */
  readonly onDamaged?: (error: TenfoldError) => void
}

/** Bundles and archived logs in a {@link Storage}. All functions throw {@link StorageError} if the storage fails. */
export interface BundleStore {
  readonly storage: Storage
  /**
   * Saves a bundle, its Markdown, then the history entry that commits it, then LATEST. Once it returns, the save is
   * durable; saving the same bundle again changes nothing. Throws {@link InvalidBundleError}, or
   * {@link StorageConflictError} if another bundle has its id. `signal` has effect until the commit.
   */
  save(bundle: ContextBundle, options?: { readonly signal?: AbortSignal }): Promise<SavedBundle>
  /**
   * Returns the bundle of an id, or of the beginning of one, even if prune moved it. Throws if it is missing, ambiguous
   * or damaged.
   */
  load(id: string): Promise<ContextBundle>
  /** How the stored bytes of a bundle differ from those that its history entry names; undefined if they match. Reads all history. */
  faultOf(id: string): Promise<string | undefined>
  /** Returns the newest intact bundle of a track, undefined for an unknown track; see `repaired`. */
  latest(track: string): Promise<LatestBundle | undefined>
  /** Returns all saves of a track, in their order. */
  history(track: string): Promise<HistoryEntry[]>
  /**
   * Returns all matching saves of all tracks, oldest first; with a `limit` the newest of them, without reading all
   * history.
   */
  list(filter?: BundleFilter): Promise<HistoryEntry[]>
  /** Returns the names of all tracks, sorted. */
  tracks(): Promise<string[]>
  /** Returns the saves whose bundle came from the log with this digest. Reads all history. */
  findBySource(sha256: string): Promise<HistoryEntry[]>
  /** Archives the bytes that a session was read from; see {@link archiveLog}. */
  archive(
    log: ArchivableLog,
    source: Session['source'],
    options?: { readonly signal?: AbortSignal },
  ): Promise<ArchivedLog>
  /** Yields the files of an archived log, by `Session.source.sha256`; see {@link readArchive}. */
  readArchive(sha256: string): AsyncIterable<ArchivedFile>
}

/** Keeps bundles in a storage: immutable bundles, a numbered history per track, and LATEST as a verified cache. */
export function bundleStore(storage: Storage, options: BundleStoreOptions = {}): BundleStore {
  const onDamaged =
    options.onDamaged ??
    ((error) => {
      throw error
    })

  async function history(track: string): Promise<HistoryEntry[]> {
    assertTrack(track)
    const sequences = await listSequences(storage, track)
    const places = sequences.map((sequence) => ({ track, sequence }))
    return await readEntries(storage, places, onDamaged)
  }

  async function list(filter: BundleFilter = {}): Promise<HistoryEntry[]> {
    if (filter.track !== undefined) assertTrack(filter.track)
    return await listEntries(storage, filter, onDamaged)
  }

  return {
    storage,
    history,
    list,
    async save(value, { signal } = {}) {
      const bundle = parseBundle(value)
      const { id, track } = bundle
      assertTrack(track)
      const json = encodeJson(bundle)
      const markdown = new TextEncoder().encode(bundleToMarkdown(bundle))
      signal?.throwIfAborted()
      const again = await putBundle(storage, id, json)
      signal?.throwIfAborted()
      // Derived from the JSON, so an existing one has the same content, perhaps in the words of another version.
      await putIfAbsent(storage, bundleMarkdownKey(id), markdown)
      const saved = again ? await findEntry(storage, track, id) : undefined
      if (saved !== undefined) await confirmStored(storage, historyKey(track, saved.sequence))
      const entry = saved ?? (await commit(storage, bundle, json, signal))
      // A prune may have moved the bundle between the check and the commit.
      if (again && saved === undefined) {
        await putIfAbsent(storage, bundleKey(id), json)
        await putIfAbsent(storage, bundleMarkdownKey(id), markdown)
      }
      const warning = await advanceLatest(storage, entry, markdown)
      const keys = { key: bundleKey(id), markdownKey: bundleMarkdownKey(id) }
      return { id, ...keys, sequence: entry.sequence, track, ...(warning !== undefined && { warning }) }
    },
    async load(id) {
      return await readStoredBundle(storage, await resolveBundleId(storage, id))
    },
    async faultOf(id) {
      const entries = await listEntries(storage, {}, () => undefined)
      const entry = entries.find((each) => each.id === id)
      const found = entry && (await verifyBundle(storage, entry))
      return typeof found === 'string' ? found : undefined
    },
    async latest(track) {
      assertTrack(track)
      return await findLatest(storage, track)
    },
    async tracks() {
      return [...new Set((await allPlaces(storage)).map((place) => place.track))].sort()
    },
    async findBySource(sha256) {
      return (await list()).filter((entry) => entry.sourceSha256 === sha256)
    },
    archive: (log, source, archiveOptions) => archiveLog(storage, log, source, archiveOptions),
    readArchive: (sha256) => readArchive(storage, sha256),
  }
}

function assertTrack(track: string): void {
  assertStorageKey(historyKey(track, 1))
  if (track.includes('/'))
    throw new StorageError(track, `bad track ${JSON.stringify(track)}: a track has no "/" in its name`)
}

async function commit(
  storage: Storage,
  bundle: ContextBundle,
  json: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<HistoryEntry> {
  const latest = await readLatest(storage, bundle.track)
  return await appendEntry(storage, bundle.track, (sequence) => historyEntryOf(bundle, json, sequence), {
    ...(typeof latest === 'object' && { hint: latest.sequence }),
    ...(signal !== undefined && { signal }),
  })
}

const putAttempts = 5

/** Returns true if this very bundle existed already: an earlier save of it may have ended before its commit. */
async function putBundle(storage: Storage, id: string, json: Uint8Array): Promise<boolean> {
  const key = bundleKey(id)
  for (let attempt = 0; attempt < putAttempts; attempt++) {
    if (await putIfAbsent(storage, key, json)) return false
    const stored = await storage.get(key)
    // Prune moved it in the meantime.
    if (stored === undefined) continue
    if (Buffer.compare(stored.bytes, json) === 0) return true
    break
  }
  throw new StorageConflictError(
    key,
    `${storage.name}: another bundle is stored as ${id}; give this one a new id`,
  )
}

async function findEntry(storage: Storage, track: string, id: string): Promise<HistoryEntry | undefined> {
  const sequences = await listSequences(storage, track)
  const places = sequences.map((sequence) => ({ track, sequence }))
  // A damaged entry cannot be identified as this one; a second entry for one bundle does no harm.
  return (await readEntries(storage, places, () => undefined)).find((entry) => entry.id === id)
}
