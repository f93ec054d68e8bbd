import { createdAtOf, idPattern } from '../bundle/bundle-id.ts'
import { StorageError, type TenfoldError } from '../errors.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import type { Storage } from '../storage/storage.ts'
import { withSignal } from '../storage/with-signal.ts'
import { checkpointKey, checkpointMarkdownKey } from '../store/keys.ts'
import { findNextTime, listPlaces, listTracks } from '../store/track-places.ts'
import { assertTrack, readCommitted, readEntries, saveToTrack } from '../store/track-store.ts'
import { type CheckpointEntry, checkpointTracks, decodeCheckpoint } from './checkpoint-entry.ts'
import { findLatestCheckpoint, type LatestCheckpoint, renewLatestCheckpoints } from './latest-checkpoint.ts'
import { checkpointToMarkdown } from './markdown.ts'
import { type Checkpoint, parseCheckpoint } from './schema.ts'

/** A durable save. */
export interface SavedCheckpoint {
  /** Id of the checkpoint; ids sort by time. */
  readonly id: string
  /** Key of the checkpoint as JSON. */
  readonly key: string
  /** Key of the checkpoint as Markdown. */
  readonly markdownKey: string
  /** Track on which the checkpoint was saved. */
  readonly track: string
  /** Why LATEST was not updated, if it was not; readers of the track find the checkpoint anyway. */
  readonly warning?: string
}

/** Selects the checkpoints that `list` returns. */
export interface CheckpointFilter {
  /** Only checkpoints of this track. */
  readonly track?: string | undefined
  /** Only checkpoints of this task. */
  readonly task?: string | undefined
}

/** Checkpoints in a {@link Storage}. All functions throw {@link StorageError} if the storage fails. */
export interface CheckpointStore {
  /** Where the checkpoints are kept. */
  readonly storage: Storage
  /**
   * Saves a checkpoint and its Markdown, then the entry that commits it to its track, then LATEST. Once it returns, the
   * save is durable; saving the same checkpoint again adds nothing. Throws {@link TenfoldError} `invalid-checkpoint`,
   * or {@link StorageConflictError} if another one has its id. With `setCurrent: false` the current track stays as it
   * is. `signal` has no effect after the commit.
   */
  save(
    checkpoint: Checkpoint,
    options?: AbortableOptions & { readonly setCurrent?: boolean | undefined },
  ): Promise<SavedCheckpoint>
  /**
   * Returns the time for the id of the next checkpoint of a track: later than that of the newest one, even if clocks
   * differ.
   */
  nextTime(track: string, now?: Date): Promise<Date>
  /**
   * Returns the newest intact checkpoint of a track, or of the current one; undefined if there is none. See `repaired`.
   */
  latest(track?: string, options?: AbortableOptions): Promise<LatestCheckpoint | undefined>
  /** Returns a checkpoint by its id. Throws {@link StorageError} if it is missing or damaged. */
  load(id: string, options?: AbortableOptions): Promise<Checkpoint>
  /** Returns all matching saves, newest first. Damaged entries go to `onDamaged`. */
  list(filter?: CheckpointFilter, options?: AbortableOptions): Promise<CheckpointEntry[]>
  /** Returns the names of all tracks with checkpoints, sorted. */
  tracks(): Promise<string[]>
}

/** Options of {@link checkpointStore}. */
export interface CheckpointStoreOptions {
  /** Receives each damaged entry; the others are still listed. @default throws it */
  readonly onDamaged?: ((error: TenfoldError) => void) | undefined
}

/** Keeps checkpoints in a storage, under `checkpoints/`: immutable snapshots, an entry for each on its track, one LATEST. */
export function checkpointStore(storage: Storage, options: CheckpointStoreOptions = {}): CheckpointStore {
  return {
    storage,
    tracks: () => listTracks(storage, checkpointTracks),
    async save(checkpoint, { setCurrent = true, signal } = {}) {
      const value = parseCheckpoint(checkpoint)
      const { id, track } = value
      assertTrack(checkpointTracks, track)
      const markdown = checkpointToMarkdown(value)
      const entry = await saveToTrack(storage, checkpointTracks, {
        value,
        markdown,
        aside: !setCurrent,
        signal,
      })
      // The save is durable: a later failure is only a warning.
      const warning = await renewLatestCheckpoints(storage, { value, entry })
      const keys = { key: checkpointKey(track, id), markdownKey: checkpointMarkdownKey(track, id) }
      return { id, ...keys, track, ...(warning !== undefined && { warning }) }
    },
    async nextTime(track, now = new Date()) {
      assertTrack(checkpointTracks, track)
      return await findNextTime(storage, checkpointTracks, track, { now })
    },
    async latest(track, { signal } = {}) {
      if (track !== undefined) assertTrack(checkpointTracks, track)
      return await findLatestCheckpoint(withSignal(storage, signal), track)
    },
    async load(id, { signal } = {}) {
      if (!idPattern.test(id))
        throw new StorageError(
          '',
          `expected the id of a checkpoint, got ${JSON.stringify(String(id).slice(0, 60))}`,
        )
      const abortable = withSignal(storage, signal)
      for (const track of await listTracks(abortable, checkpointTracks)) {
        const key = checkpointKey(track, id)
        const stored = await abortable.get(key)
        if (stored !== undefined) return decodeCheckpoint(key, stored.bytes)
      }
      throw new StorageError('', `${storage.name} holds no checkpoint ${id}`)
    },
    async list({ track, task } = {}, { signal } = {}) {
      if (track !== undefined) assertTrack(checkpointTracks, track)
      const abortable = withSignal(storage, signal)
      const places = await listPlaces(abortable, checkpointTracks, track)
      const entries = await readEntries(abortable, checkpointTracks, places.reverse(), options.onDamaged)
      return entries.filter((entry) => task === undefined || entry.task === task)
    },
  }
}

interface NewerOptions {
  /** Only checkpoints made after this time, ISO 8601. */
  readonly since?: string | undefined
  /** The last checkpoint counts whatever its time if it names this bundle as the newest, since a clock may be set back. */
  readonly bundle?: string | undefined
  readonly max: number
  readonly matches: (entry: CheckpointEntry) => boolean
}

const readsAtATime = 32

/** Returns the newest checkpoints of a track, oldest first. Reads none older than `since` except the last. */
export async function newerCheckpoints(
  storage: Storage,
  track: string,
  { since = '', bundle, max, matches }: NewerOptions,
): Promise<{ readonly checkpoints: readonly Checkpoint[]; readonly faults: readonly string[] }> {
  const all = (await listPlaces(storage, checkpointTracks, track)).reverse()
  const isOlder = (id: string): boolean => createdAtOf(id) <= since
  const places = all.filter(({ id }, index) => index === 0 || !isOlder(id))
  const checkpoints: Checkpoint[] = []
  const faults: string[] = []
  for (let start = 0; start < places.length && checkpoints.length < max; start += readsAtATime) {
    const batch = places.slice(start, start + readsAtATime)
    const entries = await readEntries(storage, checkpointTracks, batch, ({ message }) => faults.push(message))
    for (const entry of entries.filter(matches)) {
      if ((isOlder(entry.id) && entry.id !== all[0]?.id) || checkpoints.length === max) continue
      const found = await readCommitted(storage, checkpointTracks, entry)
      if (typeof found === 'string') faults.push(found)
      else if (!isOlder(entry.id) || (bundle !== undefined && found.value.bundle === bundle))
        checkpoints.push(found.value)
    }
  }
  return { checkpoints: checkpoints.reverse(), faults }
}
