import { StorageError } from '../../errors.ts'
import type { Storage } from '../../storage/storage.ts'
import { latestKey } from '../bundle-keys.ts'
import { latestCopies, renewLatest } from '../latest.ts'
import { copyFault } from '../latest-copies.ts'
import type { StoreInventory } from '../store-inventory.ts'
import { bundleTracks } from '../stored-bundle.ts'
import { findNewest } from '../track-store.ts'
import type { FindingSink } from './store-finding.ts'

/** Checks that each track has an intact bundle, and that LATEST, if it exists, is a copy of the newest. */
export async function verifyLatest(
  storage: Storage,
  { live }: StoreInventory,
  sink: FindingSink,
): Promise<string[]> {
  const tracks = [...new Set([...live.entries.map(({ track }) => track), ...live.latest])].sort()
  for (const track of tracks) {
    const newest = await newestOf(storage, track)
    if (typeof newest === 'string') await sink.add('fault', 'latest-broken', latestKey(track), newest)
    else if (newest === undefined && live.latest.has(track))
      await sink.add(
        'warning',
        'stray',
        latestKey(track),
        `${latestKey(track)} is of a track without bundles`,
      )
    else if (newest !== undefined)
      for (const [key, bytes] of await latestCopies(storage, newest)) {
        const fault = await copyFault(storage, key, bytes)
        if (fault === undefined) continue
        const message = `${fault}; the newest intact bundle of track ${track} is ${newest.value.id}`
        await sink.add('warning', 'latest-behind', key, message, async () => {
          return (await renewLatest(storage, track)) === undefined
        })
      }
  }
  return tracks
}

/** The newest intact bundle of a track, or a text that says why there is none although the track has entries. */
async function newestOf(storage: Storage, track: string) {
  try {
    return await findNewest(storage, bundleTracks, track)
  } catch (error) {
    if (!(error instanceof StorageError) || error.retryable) throw error
    return error.message
  }
}
