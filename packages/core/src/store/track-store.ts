import { createHash } from 'node:crypto'
import type * as z from 'zod/mini'
import { StorageConflictError, StorageError, type TenfoldError } from '../errors.ts'
import { inParallel } from '../storage/in-parallel.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { assertStorageKey } from '../storage/storage-key.ts'
import { damaged, decodeJson, decodeOrFault, encodeJson, faultOf } from '../storage/stored-json.ts'
import { getKept } from './keys.ts'
import { type Place, placeKey, placesBack, type TrackLayout } from './track-places.ts'

export interface TrackEntry {
  readonly id: string
  readonly track: string
  /** Key of the object's JSON; `sha256` and `size` are those of its bytes. */
  readonly key: string
  readonly sha256: string
  readonly size: number
}

/** Kind of track entries: of bundles or of checkpoints. */
export interface EntryKind<E extends TrackEntry> extends TrackLayout {
  /** Used in messages. */
  readonly name: 'bundle' | 'checkpoint'
  readonly entrySchema: z.ZodMiniType<E>
}

/** Kind of objects on tracks: bundles or checkpoints. */
export interface TrackKind<T, E extends TrackEntry> extends EntryKind<E> {
  objectKey(track: string, id: string): string
  markdownKey(track: string, id: string): string
  /** Decodes the JSON of an object. Throws TenfoldError that describes the damage. */
  decode(key: string, bytes: Uint8Array): Promise<T>
  entryOf(value: T, json: Uint8Array): E
}

/** The newest intact object of a track. `repaired` describes what was wrong with later ones. */
export interface Newest<T, E> {
  readonly value: T
  readonly entry: E
  readonly json: Uint8Array
  readonly repaired?: string
}

/** Receives each damaged entry; without it, the first one is thrown. */
export type OnDamaged = ((error: TenfoldError) => void) | undefined

const parallelReads = 32

/** Throws {@link StorageError} unless the name is valid for a track. */
export function assertTrack(layout: TrackLayout, track: string): void {
  assertStorageKey(`${layout.root}${track}`)
  if (track.includes('/') || /^latest\.(?:json|md)$/i.test(track))
    throw new StorageError(
      track,
      `bad track ${JSON.stringify(track)}: expected a name without "/", and not that of LATEST`,
    )
}

/** Returns the decoded object of a key, the error if it is damaged, or undefined if there is none. */
export async function getDecoded<T>(
  storage: Pick<Storage, 'get'>,
  key: string,
  decode: (key: string, bytes: Uint8Array) => T,
): Promise<T | ReturnType<typeof faultOf> | undefined> {
  const stored = await storage.get(key)
  return stored && decodeOrFault(() => decode(key, stored.bytes))
}

/** Returns the entry at a place, the error if it is damaged, or undefined if there is none. */
export async function readEntry<E extends TrackEntry>(
  storage: Storage,
  kind: EntryKind<E>,
  { key, id, track }: Place,
): Promise<E | TenfoldError | undefined> {
  return await getDecoded(storage, key, (_, bytes) => {
    const entry = decodeJson(key, bytes, kind.entrySchema)
    if (entry.id === id && entry.track === track) return entry
    throw damaged(key, `it says that it is the entry of ${entry.id} of track ${entry.track}`)
  })
}

/**
 * Returns the entries at the given places, in order. Damaged ones go to `onDamaged`, or are thrown without it; those
 * deleted in the meantime are left out.
 */
export async function readEntries<E extends TrackEntry>(
  storage: Storage,
  kind: EntryKind<E>,
  places: readonly Place[],
  onDamaged: OnDamaged,
): Promise<E[]> {
  const read = await inParallel(places, parallelReads, (place) => readEntry(storage, kind, place))
  return read.flatMap((entry) => {
    if (!(entry instanceof Error)) return entry ?? []
    if (onDamaged === undefined) throw entry
    onDamaged(entry)
    return []
  })
}

/**
 * Returns the object of an entry if its bytes are exactly those that were saved, otherwise what is wrong with it.
 * Throws only if the storage fails.
 */
export async function readCommitted<T, E extends TrackEntry>(
  storage: Storage,
  kind: TrackKind<T, E>,
  entry: E,
): Promise<Newest<T, E> | string> {
  const { key, size, sha256 } = entry
  const json = (await getKept(storage, key))?.bytes
  if (json === undefined) return `${key} is missing`
  if (json.byteLength !== size) return `${key} holds ${json.byteLength} bytes instead of ${size}`
  if (createHash('sha256').update(json).digest('hex') !== sha256)
    return `${key} holds other bytes than were saved`
  const value = await kind.decode(key, json).catch(faultOf)
  return value instanceof Error ? value.message : { value, entry, json }
}

/**
 * Returns the newest intact object of a track, or undefined if the track is empty. Throws {@link StorageError} if the
 * track has saves but none of them is intact. `back` are the places of the track, newest first.
 */
export async function findNewest<T, E extends TrackEntry>(
  storage: Storage,
  kind: TrackKind<T, E>,
  track: string,
  back: Iterable<Place> | AsyncIterable<Place> = placesBack(storage, kind, track),
): Promise<Newest<T, E> | undefined> {
  const faults: string[] = []
  for await (const place of back) {
    const found = await readPlace(storage, kind, place)
    if (typeof found === 'string') faults.push(found)
    else if (found !== undefined && faults.length === 0) return found
    else if (found !== undefined)
      return { ...found, repaired: `${faults.join('; ')}; took ${place.id}, the newest intact ${kind.name}` }
  }
  if (faults.length === 0) return undefined
  throw new StorageError(
    `${kind.root}${track}`,
    `no ${kind.name} of track ${track} is intact: ${faults.slice(0, 5).join('; ')}`,
  )
}

/** Like {@link findNewest}, but returns the error if no save is intact. */
export async function newestOrFault<T, E extends TrackEntry>(
  ...args: Parameters<typeof findNewest<T, E>>
): Promise<Newest<T, E> | StorageError | undefined> {
  try {
    return await findNewest(...args)
  } catch (error) {
    if (!(error instanceof StorageError) || error.retryable) throw error
    return error
  }
}

/** Returns undefined if the entry was moved since it was listed. */
async function readPlace<T, E extends TrackEntry>(
  storage: Storage,
  kind: TrackKind<T, E>,
  place: Place,
): Promise<Newest<T, E> | string | undefined> {
  if (storage.remote === true) {
    const key = kind.objectKey(place.track, place.id)
    const stored = await getKept(storage, key)
    if (stored === undefined) return (await storage.get(place.key)) && `${key} is missing`
    const { bytes: json } = stored
    const value = await kind.decode(key, json).catch(faultOf)
    return value instanceof Error ? value.message : { value, entry: kind.entryOf(value, json), json }
  }
  const entry = await readEntry(storage, kind, place)
  return entry instanceof Error ? entry.message : entry && (await readCommitted(storage, kind, entry))
}

export interface Save<T> {
  readonly value: T & { readonly id: string; readonly track: string }
  readonly markdown: string
  /** Do not change the current track. */
  readonly aside?: boolean
  /** Has no effect after the commit. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Puts an object, its Markdown, and then the entry that commits it, and returns the entry. Puts nothing new if all
 * exist. Throws {@link StorageConflictError} if another object has the id.
 */
export async function saveToTrack<T, E extends TrackEntry>(
  storage: Storage,
  kind: TrackKind<T, E>,
  { value, markdown, aside = false, signal }: Save<T>,
): Promise<E> {
  const { id, track } = value
  const json = encodeJson(value)
  const text = new TextEncoder().encode(markdown)
  const key = kind.objectKey(track, id)
  const markdownKey = kind.markdownKey(track, id)
  signal?.throwIfAborted()
  const again = await putObject(storage, kind, key, { id, json })
  signal?.throwIfAborted()
  // An existing one was made from the same JSON, perhaps worded by another version.
  await putIfAbsent(storage, markdownKey, text)
  signal?.throwIfAborted()
  const place = placeKey(kind, { track, id, aside })
  const entry = kind.entryOf(value, json)
  const bytes = encodeJson(entry)
  await putIfAbsent(storage, place, bytes)
  if (!again) return entry
  // A prune may have moved these objects in the meantime.
  await putIfAbsent(storage, key, json)
  await putIfAbsent(storage, markdownKey, text)
  await putIfAbsent(storage, place, bytes)
  return entry
}

const putAttempts = 5

/** Returns true if this very object existed already, perhaps from a save that was interrupted before its commit. */
async function putObject<T, E extends TrackEntry>(
  storage: Storage,
  kind: TrackKind<T, E>,
  key: string,
  { id, json }: { readonly id: string; readonly json: Uint8Array },
): Promise<boolean> {
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
    `${storage.name}: another ${kind.name} is stored as ${id}; give this one a new id`,
  )
}
