import { createdAtOf } from '../bundle/bundle-id.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { listPlaces } from '../store/track-places.ts'
import { readCommitted, readEntry } from '../store/track-store.ts'
import { type CheckpointEntry, checkpointTracks } from './checkpoint-entry.ts'
import type { Checkpoint } from './schema.ts'

export interface NewerCheckpoints {
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[]
  readonly faults: readonly string[]
}

export interface NewerOptions {
  /** Only those made after this time, ISO 8601. */
  readonly since?: string | undefined
  /**
   * The last checkpoint counts regardless of its time if it was made when this bundle was the newest: a clock may be
   * set back.
   */
  readonly bundle?: string | undefined
  readonly max: number
  readonly matches?: ((entry: CheckpointEntry) => boolean) | undefined
}

const readsAtATime = 32

/** Returns the newest checkpoints of a track, oldest first. Reads none that is older than `since`, but for the last. */
export async function newerCheckpoints(
  storage: Storage,
  track: string,
  { since = '', bundle, max, matches = () => true }: NewerOptions,
): Promise<NewerCheckpoints> {
  const all = (await listPlaces(storage, checkpointTracks, track)).reverse()
  const isOlder = (id: string): boolean => createdAtOf(id) <= since
  const places = all.filter(({ id }, index) => index === 0 || !isOlder(id))
  const checkpoints: Checkpoint[] = []
  const faults: string[] = []
  for (let start = 0; start < places.length && checkpoints.length < max; start += readsAtATime) {
    const batch = places.slice(start, start + readsAtATime)
    const entries = await inParallel(batch, readsAtATime, (place) =>
      readEntry(storage, checkpointTracks, place),
    )
    for (const entry of entries) {
      if (entry instanceof Error) faults.push(entry.message)
      if (entry === undefined || entry instanceof Error || !matches(entry)) continue
      if ((isOlder(entry.id) && entry.id !== all[0]?.id) || checkpoints.length === max) continue
      const found = await readCommitted(storage, checkpointTracks, entry)
      if (typeof found === 'string') faults.push(found)
      else if (!isOlder(entry.id) || (bundle !== undefined && found.value.bundle === bundle))
        checkpoints.push(found.value)
    }
  }
  return { checkpoints: checkpoints.reverse(), faults }
}
