import * as z from 'zod/mini'
import type { StorageError } from '../errors.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, decodeOrFault, encodeJson } from '../storage/stored-json.ts'
import { checkpointLatestKey, checkpointLatestMarkdownKey } from '../store/keys.ts'
import { getCopy, renewCopies } from '../store/latest-copies.ts'
import { listPlaces, type Place } from '../store/track-places.ts'
import { findNewest, newestOrFault } from '../store/track-store.ts'
import { type CheckpointEntry, checkpointEntrySchema, checkpointTracks } from './checkpoint-entry.ts'
import { pointerToMarkdown } from './markdown.ts'
import { type Checkpoint, checkpointSchema } from './schema.ts'

const pointerSchema = lazySchema(() => {
  const { note, extra, files } = checkpointSchema.shape
  return z.object({
    schemaVersion: z.literal(1),
    /** The track that is used by default. */
    current: z.optional(checkpointEntrySchema.shape.track),
    tracks: z.array(z.safeExtend(checkpointEntrySchema, { note, extra, files })),
  })
})

/** Content of `checkpoints/LATEST.json`, which is all that a cold start needs. It is a copy, never the source of truth. */
export type CheckpointPointer = z.infer<typeof pointerSchema>

/** The newest checkpoint of a track. */
export interface LatestCheckpoint {
  /** The newest intact checkpoint of the track. */
  readonly checkpoint: Checkpoint
  /** The entry that put the checkpoint on its track. */
  readonly entry: CheckpointEntry
  /** True if its track is the current one. */
  readonly current: boolean
  /** What was wrong with later entries, or with LATEST. */
  readonly repaired?: string
}

/**
 * Returns the newest intact checkpoint of a track, or of the current track, and renews LATEST if it differs. Throws
 * {@link StorageError} if the track has saves but none of them is intact.
 */
export async function findLatestCheckpoint(
  storage: Storage,
  track: string | undefined,
): Promise<LatestCheckpoint | undefined> {
  const places = await listPlaces(storage, checkpointTracks)
  const current = currentTrack(places)
  const name = track ?? current
  const newest =
    name === undefined
      ? undefined
      : await findNewest(storage, checkpointTracks, name, placesBack(places, name))
  if (newest === undefined) return undefined
  const failure = await renewLatestCheckpoints(storage, newest)
  const repaired = [newest.repaired, failure].filter((text) => text !== undefined).join('; ')
  const { value: checkpoint, entry } = newest
  return { checkpoint, entry, current: name === current, ...(repaired !== '' && { repaired }) }
}

export async function findCurrentTrack(storage: Storage): Promise<string | undefined> {
  return currentTrack(await listPlaces(storage, checkpointTracks))
}

function currentTrack(places: readonly Place[]): string | undefined {
  return places.findLast(({ aside }) => !aside)?.track
}

function placesBack(places: readonly Place[], track: string): Place[] {
  return places.filter((place) => place.track === track).reverse()
}

export interface KnownCheckpoint {
  readonly value: Checkpoint
  readonly entry: CheckpointEntry
}

/**
 * Makes LATEST name the newest checkpoint of every track. `known` is not read again. Returns what went wrong, if
 * anything.
 */
export async function renewLatestCheckpoints(
  storage: Storage,
  known?: KnownCheckpoint,
): Promise<string | undefined> {
  let seen: string | undefined
  let copies = new Map<string, Uint8Array>()
  return await renewCopies(storage, checkpointLatestKey, async () => {
    const places = await listPlaces(storage, checkpointTracks)
    const newest = JSON.stringify([currentTrack(places), ...newestIds(places)])
    if (newest !== seen) copies = await copiesOf(storage, places, { known, usesCopy: true })
    seen = newest
    return copies
  })
}

/** Returns the expected copies of LATEST by key, made from the checkpoints alone; none for a store without checkpoints. */
export async function latestCheckpointCopies(storage: Storage): Promise<Map<string, Uint8Array>> {
  return await copiesOf(storage, await listPlaces(storage, checkpointTracks))
}

interface CopySources {
  readonly known?: KnownCheckpoint | undefined
  /** Take the newest checkpoints of tracks from the stored copy if it has them, instead of reading them again. */
  readonly usesCopy?: boolean
}

/** Omits tracks without an intact checkpoint. */
async function copiesOf(
  storage: Storage,
  places: readonly Place[],
  { known, usesCopy = false }: CopySources = {},
): Promise<Map<string, Uint8Array>> {
  if (places.length === 0) return new Map()
  const tracks: CheckpointPointer['tracks'] = []
  let held: CheckpointPointer['tracks'] | undefined
  for (const [track, id] of newestIds(places)) {
    const isSame = (entry: CheckpointEntry): boolean => entry.track === track && entry.id === id
    let found: KnownCheckpoint | StorageError | undefined
    if (known !== undefined && isSame(known.entry)) found = known
    else {
      held ??= usesCopy ? await heldTracks(storage) : []
      const same = held.find(isSame)
      if (same !== undefined) tracks.push(same)
      else found = await newestOrFault(storage, checkpointTracks, track, placesBack(places, track))
    }
    if (found === undefined || found instanceof Error) continue
    const { note, extra, files } = found.value
    tracks.push({ ...found.entry, note, extra, files })
  }
  const current = currentTrack(places)
  const pointer = { schemaVersion: 1, ...(current !== undefined && { current }), tracks } as const
  return new Map([
    [checkpointLatestKey, encodeJson(pointer)],
    [checkpointLatestMarkdownKey, new TextEncoder().encode(pointerToMarkdown(pointer))],
  ])
}

function newestIds(places: readonly Place[]): [track: string, id: string][] {
  return [...new Map(places.map(({ track, id }) => [track, id]))].sort()
}

async function heldTracks(storage: Storage): Promise<CheckpointPointer['tracks']> {
  const bytes = await getCopy(storage, checkpointLatestKey)
  const held = bytes && decodeOrFault(() => decodeJson(checkpointLatestKey, bytes, pointerSchema))
  return held === undefined || held instanceof Error ? [] : held.tracks
}
