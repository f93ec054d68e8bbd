import { idPattern } from '../bundle/schema.ts'
import { StorageConflictError, StorageError, type TenfoldError } from '../errors.ts'
import { appendNumbered, listNumbers, numberedKey, readNumbered } from '../storage/numbered-log.ts'
import { confirmStored, putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { assertStorageKey } from '../storage/storage-key.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { checkpointKey, checkpointLogPrefix, checkpointMarkdownKey } from './checkpoint-keys.ts'
import { type CheckpointEntry, checkpointEntryOf, checkpointLog, decodeCheckpoint } from './checkpoint-log.ts'
import { findLatestCheckpoint, type LatestCheckpoint } from './latest-checkpoint.ts'
import { checkpointToMarkdown } from './markdown.ts'
import { advancePointer, checkpointTracks, readPointer } from './pointer.ts'
import { type Checkpoint, parseCheckpoint } from './schema.ts'

/** A durable save. `warning` says why LATEST lags behind it, if it does; readers of the track find it anyway. */
export interface SavedCheckpoint {
  readonly id: string
  readonly key: string
  readonly markdownKey: string
  readonly sequence: number
  readonly track: string
  readonly warning?: string
}

/** Which checkpoints `list` returns; an absent field does not matter. */
export interface CheckpointFilter {
  readonly track?: string
  readonly task?: string
}

/** Checkpoints in a {@link Storage}. All functions throw {@link StorageError} if the storage fails. */
export interface CheckpointStore {
  readonly storage: Storage
  /**
   * Saves a checkpoint and its Markdown, then the numbered entry that commits it, then LATEST. Once it returns, the
   * save is durable; saving the same checkpoint again adds nothing. Throws {@link TenfoldError} `invalid-checkpoint`,
   * or {@link StorageConflictError} if another one has its id. With `setCurrent: false` the current track does not
   * change. `signal` has effect until the commit.
   */
  save(
    checkpoint: Checkpoint,
    options?: { readonly setCurrent?: boolean; readonly signal?: AbortSignal },
  ): Promise<SavedCheckpoint>
  /**
   * Returns the newest intact checkpoint of a track, or of the current one; undefined if there is none. See `repaired`.
   */
  latest(track?: string): Promise<LatestCheckpoint | undefined>
  /** Returns the checkpoint of an id. Throws if it is missing or damaged. */
  load(id: string): Promise<Checkpoint>
  /** Returns all matching saves, newest first. Damaged entries go to `onDamaged`. */
  list(filter?: CheckpointFilter): Promise<CheckpointEntry[]>
  /** Returns the names of all tracks with checkpoints, sorted. */
  tracks(): Promise<string[]>
}

/** Options of {@link checkpointStore}. */
export interface CheckpointStoreOptions {
  /** Receives each damaged entry; the others are still listed. @default throws it */
  readonly onDamaged?: (error: TenfoldError) => void
}

const parallelReads = 32

/** Keeps checkpoints in a storage, under `checkpoints/`: immutable snapshots, a numbered history per track, one LATEST. */
export function checkpointStore(storage: Storage, options: CheckpointStoreOptions = {}): CheckpointStore {
  const onDamaged =
    options.onDamaged ??
    ((error) => {
      throw error
    })

  async function listTrack(track: string): Promise<CheckpointEntry[]> {
    const log = checkpointLog(track)
    const numbers = await listNumbers(storage, log.prefix)
    const entries: CheckpointEntry[] = []
    for (let start = 0; start < numbers.length; start += parallelReads) {
      const batch = numbers.slice(start, start + parallelReads)
      for (const entry of await Promise.all(batch.map((number) => readNumbered(storage, log, number)))) {
        if (entry instanceof Error) onDamaged(entry)
        else if (entry !== undefined) entries.push(entry)
      }
    }
    return entries
  }

  return {
    storage,
    tracks: () => checkpointTracks(storage),
    async save(value, { setCurrent = true, signal } = {}) {
      const checkpoint = parseCheckpoint(value)
      const { id, track } = checkpoint
      assertTrack(track)
      signal?.throwIfAborted()
      const json = encodeJson(checkpoint)
      const again = await putSnapshot(storage, checkpoint, json)
      signal?.throwIfAborted()
      const found = again ? await findEntry(storage, track, id) : undefined
      if (found !== undefined)
        await confirmStored(storage, numberedKey(checkpointLogPrefix(track), found.sequence))
      const entry = found ?? (await commit(storage, checkpoint, json, { setCurrent, signal }))
      const warning = await advancePointer(storage, entry, setCurrent)
      const keys = { key: entry.key, markdownKey: checkpointMarkdownKey(track, id) }
      return { id, ...keys, sequence: entry.sequence, track, ...(warning !== undefined && { warning }) }
    },
    async latest(track) {
      if (track !== undefined) assertTrack(track)
      return await findLatestCheckpoint(storage, track)
    },
    async load(id) {
      if (!idPattern.test(id))
        throw new StorageError(
          '',
          `expected the id of a checkpoint, got ${JSON.stringify(String(id).slice(0, 60))}`,
        )
      for (const track of await checkpointTracks(storage)) {
        const key = checkpointKey(track, id)
        const stored = await storage.get(key)
        const checkpoint = stored && decodeCheckpoint(key, stored.bytes)
        if (checkpoint instanceof Error) throw checkpoint
        if (checkpoint !== undefined) return checkpoint
      }
      throw new StorageError('', `${storage.name} holds no checkpoint ${id}`)
    },
    async list({ track, task } = {}) {
      if (track !== undefined) assertTrack(track)
      const tracks = track === undefined ? await checkpointTracks(storage) : [track]
      const entries: CheckpointEntry[] = []
      for (const name of tracks) entries.push(...(await listTrack(name)))
      return entries
        .filter((entry) => task === undefined || entry.task === task)
        .sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : b.sequence - a.sequence))
    },
  }
}

function assertTrack(track: string): void {
  assertStorageKey(checkpointLogPrefix(track).slice(0, -1))
  if (track.includes('/') || /^latest\.(?:json|md)$/i.test(track))
    throw new StorageError(
      track,
      `bad track ${JSON.stringify(track)}: expected a name without "/", and not that of LATEST`,
    )
}

/** Returns true if this very checkpoint existed already: an earlier save of it may have ended before its commit. */
async function putSnapshot(storage: Storage, checkpoint: Checkpoint, json: Uint8Array): Promise<boolean> {
  const { id, track } = checkpoint
  const key = checkpointKey(track, id)
  const isNew = await putIfAbsent(storage, key, json)
  const stored = isNew ? undefined : await storage.get(key)
  if (stored !== undefined && Buffer.compare(stored.bytes, json) !== 0)
    throw new StorageConflictError(
      key,
      `${storage.name}: another checkpoint is stored as ${id}; give this one a new id`,
    )
  const markdown = new TextEncoder().encode(checkpointToMarkdown(checkpoint))
  await putIfAbsent(storage, checkpointMarkdownKey(track, id), markdown)
  return !isNew
}

async function findEntry(storage: Storage, track: string, id: string): Promise<CheckpointEntry | undefined> {
  const log = checkpointLog(track)
  for (const number of (await listNumbers(storage, log.prefix)).reverse()) {
    const entry = await readNumbered(storage, log, number)
    if (entry !== undefined && !(entry instanceof Error) && entry.id === id) return entry
  }
  return undefined
}

async function commit(
  storage: Storage,
  checkpoint: Checkpoint,
  json: Uint8Array,
  options: { readonly setCurrent: boolean; readonly signal: AbortSignal | undefined },
): Promise<CheckpointEntry> {
  const { track } = checkpoint
  const log = checkpointLog(track)
  const pointer = await readPointer(storage)
  const held = typeof pointer === 'string' ? undefined : pointer.tracks.find((entry) => entry.track === track)
  const isThere = held !== undefined && (await readNumbered(storage, log, held.sequence)) !== undefined
  const current = options.setCurrent ? track : typeof pointer === 'string' ? undefined : pointer.current
  const make = (sequence: number): CheckpointEntry =>
    checkpointEntryOf(checkpoint, json, { sequence, current })
  return await appendNumbered(storage, log, make, {
    ...(isThere && { hint: held.sequence }),
    ...(options.signal !== undefined && { signal: options.signal }),
  })
}
