import { isDeepStrictEqual } from 'node:util'
import type { Storage } from '../storage/storage.ts'
import { findingSink, type StoreFinding } from '../store/verify/store-finding.ts'
import { checkpointLatestKey } from './checkpoint-keys.ts'
import { type CheckpointEntry, checkpointEntryOf, verifyCheckpoint } from './checkpoint-log.ts'
import { checkpointStore } from './checkpoint-store.ts'
import { entryFault, readPointer, repairPointer } from './pointer.ts'
import type { Checkpoint } from './schema.ts'
import { verifyCheckpointHistory } from './verify-checkpoint-history.ts'

/** Result of {@link verifyCheckpoints}. */
export interface CheckpointReport {
  readonly checkpoints: number
  readonly findings: readonly StoreFinding[]
}

/**
 * Checks every checkpoint of a storage, and whether LATEST names the newest of each track; `repair` rebuilds LATEST.
 */
export async function verifyCheckpoints(
  storage: Storage,
  options: { readonly repair?: boolean } = {},
): Promise<CheckpointReport> {
  const findings: StoreFinding[] = []
  const sink = findingSink(findings, options.repair ?? false)
  const damaged: string[] = []
  const store = checkpointStore(storage, { onDamaged: (error) => damaged.push(error.message) })
  const entries = await store.list()
  for (const message of damaged) await sink.add('fault', 'checkpoint-damaged', 'checkpoints/', message)
  for (const entry of entries) {
    const checkpoint = await verifyCheckpoint(storage, entry)
    const fault = typeof checkpoint === 'string' ? checkpoint : differenceOf(entry, checkpoint)
    if (fault !== undefined) await sink.add('fault', 'checkpoint-damaged', entry.track, fault)
  }
  await verifyCheckpointHistory(storage, sink)
  const stale = entries.length === 0 ? undefined : await latestFault(storage, await store.tracks())
  if (stale !== undefined)
    await sink.add(
      'warning',
      'checkpoint-latest',
      checkpointLatestKey,
      stale,
      async () => (await repairPointer(storage)) === undefined,
    )
  return { checkpoints: entries.length, findings }
}

/** The first difference between a checkpoint and its entry in a list. */
function differenceOf(entry: CheckpointEntry, checkpoint: Checkpoint): string | undefined {
  const { sequence, current, sha256: _, size: __, ...shown } = entry
  const made = checkpointEntryOf(checkpoint, new Uint8Array(), { sequence, current })
  const name = Object.keys(shown).find(
    (field) => !isDeepStrictEqual(Reflect.get(shown, field), Reflect.get(made, field)),
  )
  return name && `entry ${sequence} of track ${entry.track} differs from ${entry.key} in ${name}`
}

async function latestFault(storage: Storage, tracks: readonly string[]): Promise<string | undefined> {
  const pointer = await readPointer(storage)
  if (typeof pointer === 'string') return pointer
  const missing = tracks.find((track) => !pointer.tracks.some((entry) => entry.track === track))
  if (missing !== undefined) return `${checkpointLatestKey} does not name track ${missing}`
  const faults = await Promise.all(pointer.tracks.map((entry) => entryFault(storage, entry)))
  return faults.find((fault) => fault !== undefined)
}
