import { type CheckpointStore, checkpointStore } from '@tenfold/core/store'
import type { Terminal } from '../terminal/terminal.ts'
import { openStorage, warnOfDamage } from './open-store.ts'

/** Opens the checkpoints of a store. Damaged ones are reported and left out. */
export async function openCheckpoints(place: string, terminal: Terminal): Promise<CheckpointStore> {
  return checkpointStore(await openStorage(place, { blocking: true }), warnOfDamage(terminal))
}
