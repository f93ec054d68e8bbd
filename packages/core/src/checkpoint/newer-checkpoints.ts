import { listNumbers, readNumbered } from '../storage/numbered-log.ts'
import type { Storage } from '../storage/storage.ts'
import { type CheckpointEntry, checkpointLog, verifyCheckpoint } from './checkpoint-log.ts'
import type { Checkpoint } from './schema.ts'

/** Intact checkpoints of a track, and what was wrong with others that were read. */
export interface NewerCheckpoints {
  /** In order of commit, the first one first. */
  readonly checkpoints: readonly Checkpoint[]
  readonly faults: readonly string[]
}

/** Selects checkpoints. */
export interface NewerOptions {
  /** Only those made after this time, ISO 8601. */
  readonly since?: string | undefined
  /**
   * The last checkpoint counts regardless of its time if it was made when this bundle was the newest: a clock may be
   * set back.
   */
  readonly bundle?: string | undefined
  readonly max: number
  readonly matches?: (entry: CheckpointEntry) => boolean
}

const parallelReads = 32

/**
 * Returns the newest checkpoints of a track, in the order of their commits. Reads the history from its end and stops at
 * entries older than `since`.
 */
export async function newerCheckpoints(
  storage: Storage,
  track: string,
  { since = '', bundle, max, matches = () => true }: NewerOptions,
): Promise<NewerCheckpoints> {
  const log = checkpointLog(track)
  const numbers = (await listNumbers(storage, log.prefix)).reverse()
  const checkpoints: Checkpoint[] = []
  const faults: string[] = []
  for (let start = 0; start < numbers.length && checkpoints.length < max; start += parallelReads) {
    const batch = numbers.slice(start, start + parallelReads)
    const entries = await Promise.all(batch.map((number) => readNumbered(storage, log, number)))
    let older = 0
    for (const entry of entries) {
      if (entry instanceof Error) faults.push(entry.message)
      if (entry === undefined || entry instanceof Error) continue
      // Parallel writers may commit in a slightly different order than they began.
      const isOlder = entry.createdAt <= since
      const isLast = entry.sequence === numbers[0]
      if (isOlder) older++
      if ((isOlder && !isLast) || !matches(entry) || checkpoints.length === max) continue
      const checkpoint = await verifyCheckpoint(storage, entry)
      if (typeof checkpoint === 'string') faults.push(checkpoint)
      else if (!isOlder || (bundle !== undefined && checkpoint.bundle === bundle))
        checkpoints.push(checkpoint)
    }
    if (older === entries.length) break
  }
  return { checkpoints: checkpoints.reverse(), faults }
}
