import type { ContextBundle } from '../bundle/schema.ts'
import { listDumps } from '../halt/list-dumps.ts'
import { type HaltDump, loadDump } from '../halt/read-dump.ts'
import type { Storage } from '../storage/storage.ts'
import { contentTime } from './gather.ts'

/** Returns the newest halt dump of a task, undefined if there is none. Throws {@link StorageError}. */
export async function newestDumpOfTask(storage: Storage, taskId: string): Promise<HaltDump | undefined> {
  const [newest] = await listDumps(storage, { taskId, limit: 1 })
  return newest && (await loadDump(storage, newest.haltId))
}

/** Whether a bundle holds work that is later than the halt: then the halted run is history. */
export function isContinued(dump: HaltDump, bundle: ContextBundle | undefined): boolean {
  const halted = dump.metadata?.createdAt
  return bundle !== undefined && halted !== undefined && contentTime(bundle) > halted
}
