import { StorageError } from '../errors.ts'
import { listNumbers, readNumbered } from '../storage/numbered-log.ts'
import type { Storage } from '../storage/storage.ts'
import { checkpointLatestKey } from './checkpoint-keys.ts'
import { type CheckpointEntry, checkpointLog, verifyCheckpoint } from './checkpoint-log.ts'
import { type CheckpointPointer, entryFault, readPointer, rebuildPointer, repairPointer } from './pointer.ts'
import type { Checkpoint } from './schema.ts'

/** The newest checkpoint of a track. `repaired` says what was wrong if LATEST could not be trusted. */
export interface LatestCheckpoint {
  readonly checkpoint: Checkpoint
  readonly entry: CheckpointEntry
  /** True if its track is the current one. */
  readonly current: boolean
  readonly repaired?: string
}

/**
 * Returns the newest intact checkpoint of a track, or of the current track. Trusts LATEST only if it agrees with the
 * history and the bytes of the checkpoint; otherwise searches the history from its end, says so in `repaired`, and
 * repairs LATEST. Throws {@link StorageError} if a track has saves but none of them is intact.
 */
export async function findLatestCheckpoint(
  storage: Storage,
  track: string | undefined,
): Promise<LatestCheckpoint | undefined> {
  const pointer = await readPointer(storage)
  const fault = typeof pointer === 'string' ? pointer : await pointerFault(storage, pointer, track)
  if (typeof pointer === 'string' || fault !== undefined) return await repair(storage, track, fault ?? '')
  const held = entryOf(pointer, track)
  if (held === undefined) return undefined
  const checkpoint = await verifyCheckpoint(storage, held)
  if (typeof checkpoint === 'string') return await repair(storage, track, checkpoint)
  return { checkpoint, entry: held, current: held.track === pointer.current }
}

/** Without a name: the current track, otherwise the only one. */
function entryOf(pointer: CheckpointPointer, track: string | undefined): CheckpointEntry | undefined {
  const name = track ?? pointer.current
  if (name !== undefined) return pointer.tracks.find((entry) => entry.track === name)
  return pointer.tracks.length === 1 ? pointer.tracks[0] : undefined
}

async function pointerFault(
  storage: Storage,
  pointer: CheckpointPointer,
  track: string | undefined,
): Promise<string | undefined> {
  const entries =
    track === undefined ? pointer.tracks : pointer.tracks.filter((entry) => entry.track === track)
  const faults = await Promise.all(entries.map((entry) => entryFault(storage, entry)))
  const fault = faults.find((text) => text !== undefined)
  const name = track ?? pointer.current
  if (fault !== undefined || name === undefined || entries.some((entry) => entry.track === name)) return fault
  const numbers = await listNumbers(storage, checkpointLog(name).prefix)
  return numbers.length === 0 ? undefined : `LATEST does not name track ${name}`
}

async function repair(
  storage: Storage,
  track: string | undefined,
  fault: string,
): Promise<LatestCheckpoint | undefined> {
  const pointer = await rebuildPointer(storage)
  const held = entryOf(pointer, track)
  const failure = pointer.tracks.length === 0 ? undefined : await repairPointer(storage)
  const name = track ?? held?.track
  if (name === undefined) return undefined
  const found = await searchBack(storage, name, [fault, ...(failure === undefined ? [] : [failure])])
  return found && { ...found, current: found.entry.track === pointer.current }
}

async function searchBack(
  storage: Storage,
  track: string,
  faults: string[],
): Promise<Omit<LatestCheckpoint, 'current'> | undefined> {
  const log = checkpointLog(track)
  const numbers = await listNumbers(storage, log.prefix)
  if (numbers.length === 0) return undefined
  for (const sequence of numbers.reverse()) {
    const entry = await readNumbered(storage, log, sequence)
    const checkpoint =
      entry instanceof Error ? entry.message : entry && (await verifyCheckpoint(storage, entry))
    if (typeof checkpoint === 'string' && !faults.includes(checkpoint)) faults.push(checkpoint)
    if (typeof checkpoint !== 'object' || entry === undefined || entry instanceof Error) continue
    const repaired = `${faults.join('; ')}; took checkpoint ${sequence}, the newest intact one`
    return { checkpoint, entry, repaired }
  }
  throw new StorageError(
    checkpointLatestKey,
    `no checkpoint of track ${track} is intact: ${faults.slice(0, 5).join('; ')}`,
  )
}
