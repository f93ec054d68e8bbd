import { createdAtOf } from '../bundle/bundle-id.ts'
import type { Storage } from '../storage/storage.ts'
import { assertPolicy, beyondPolicy, type DeletePolicy, type PrunePolicy } from '../store/prune/policy.ts'
import { listPlaces } from '../store/track-places.ts'
import { checkpointTracks } from './checkpoint-entry.ts'

/**
 * Deletes the checkpoints that the policy does not keep, counted per track, but never the newest of a track. Returns
 * them, oldest first. Throws {@link TenfoldError} `bad-policy`, and {@link StorageError} if the storage fails.
 */
export async function pruneCheckpoints(
  storage: Storage,
  policy: DeletePolicy & Pick<PrunePolicy, 'tracks'>,
): Promise<{ readonly track: string; readonly id: string }[]> {
  assertPolicy(policy)
  const places = await listPlaces(storage, checkpointTracks)
  const newest = new Map(places.map(({ track, id }) => [track, id]))
  const beyond = beyondPolicy(places, policy, {
    timeOf: ({ id }) => createdAtOf(id),
    groupOf: ({ track }) => track,
  })
  const chosen = beyond.filter(
    ({ track, id }) => newest.get(track) !== id && (policy.tracks?.includes(track) ?? true),
  )
  for (const { track, id, key } of policy.dryRun ? [] : chosen) {
    policy.signal?.throwIfAborted()
    // The entry is deleted last, so that an interrupted deletion is found again.
    for (const object of [
      checkpointTracks.markdownKey(track, id),
      checkpointTracks.objectKey(track, id),
      key,
    ])
      await storage.delete(object)
  }
  return chosen.map(({ track, id }) => ({ track, id }))
}
