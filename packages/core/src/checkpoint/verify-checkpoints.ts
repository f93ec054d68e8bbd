import { isDeepStrictEqual } from 'node:util'
import { inParallel } from '../storage/in-parallel.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeOrFault, encodeJson } from '../storage/stored-json.ts'
import { checkpointKey } from '../store/keys.ts'
import { copyFault } from '../store/latest-copies.ts'
import { listPlaces, type Place, placeKey } from '../store/track-places.ts'
import { readCommitted, readEntry } from '../store/track-store.ts'
import { type StoreFinding, storeCheck } from '../store/verify/store-finding.ts'
import { type CheckpointEntry, checkpointTracks, decodeCheckpoint } from './checkpoint-entry.ts'
import { latestCheckpointCopies, renewLatestCheckpoints } from './latest-checkpoint.ts'
import type { Checkpoint } from './schema.ts'

/** Result of {@link verifyCheckpoints}. */
export interface CheckpointReport {
  /** Number of checkpoints that were checked. */
  readonly checkpoints: number
  /** Faults and warnings; empty if there are none. */
  readonly findings: readonly StoreFinding[]
}

const parallelReads = 8

/**
 * Checks that every checkpoint is intact and has its entry, and that LATEST, if it exists, names the newest checkpoint
 * of each track. `repair` adds missing entries and rewrites LATEST.
 */
export async function verifyCheckpoints(
  storage: Storage,
  options: { readonly repair?: boolean } = {},
): Promise<CheckpointReport> {
  const findings: StoreFinding[] = []
  const check = storeCheck(storage, findings, options.repair ?? false)
  // Checkpoints are listed before entries, so that the entry of one that is saved meanwhile is found.
  const stored = await storedCheckpoints(storage)
  const places = await listPlaces(storage, checkpointTracks)
  await inParallel(places, parallelReads, async (place) => {
    const fault = await faultAt(storage, place)
    if (fault !== undefined) check.fault('checkpoint-damaged', place.key, fault)
  })
  const listed = new Set(places.map(({ track, id }) => checkpointKey(track, id)))
  for (const [key, track] of stored) {
    if (listed.has(key)) continue
    const message = `${key} is in no list: its save was interrupted, or its entry is lost`
    await check.warn('checkpoint-unlisted', key, message, () => commitAgain(storage, key, track))
  }
  for (const [key, bytes] of await latestCheckpointCopies(storage)) {
    const fault = await copyFault(storage, key, bytes)
    if (fault === undefined) continue
    await check.warn('checkpoint-latest', key, fault, async () => {
      return (await renewLatestCheckpoints(storage)) === undefined
    })
  }
  return { checkpoints: places.length, findings }
}

async function storedCheckpoints(storage: Storage): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const { key } of storage.list(checkpointTracks.root, { sizes: false })) {
    const [, track, id] = /^checkpoints\/([^/]+)\/([^/]+)\.json$/.exec(key) ?? []
    if (track !== undefined && id !== undefined) found.set(key, track)
  }
  return found
}

async function faultAt(storage: Storage, place: Place): Promise<string | undefined> {
  const entry = await readEntry(storage, checkpointTracks, place)
  if (entry === undefined || entry instanceof Error) return entry?.message
  const found = await readCommitted(storage, checkpointTracks, entry)
  return typeof found === 'string' ? found : differenceOf(place, entry, found.value)
}

function differenceOf(place: Place, entry: CheckpointEntry, checkpoint: Checkpoint): string | undefined {
  const { sha256: _, size: __, ...shown } = entry
  const made = checkpointTracks.entryOf(checkpoint, new Uint8Array())
  const name = Object.keys(shown).find(
    (field) => !isDeepStrictEqual(Reflect.get(shown, field), Reflect.get(made, field)),
  )
  return name && `${place.key} differs from ${entry.key} in ${name}`
}

/** Adds the entry of an intact checkpoint. It is `aside`, because nobody knows whether its track was to become current. */
async function commitAgain(storage: Storage, key: string, track: string): Promise<boolean> {
  const stored = await storage.get(key)
  const checkpoint = stored && decodeOrFault(() => decodeCheckpoint(key, stored.bytes))
  if (stored === undefined || checkpoint === undefined || checkpoint instanceof Error) return false
  const place = placeKey(checkpointTracks, { track, id: checkpoint.id, aside: true })
  return await putIfAbsent(storage, place, encodeJson(checkpointTracks.entryOf(checkpoint, stored.bytes)))
}
