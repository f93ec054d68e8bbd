import { type HaltDump, listDumps, loadDump } from '../halt/stored-dumps.ts'
import type { Storage } from '../storage/storage.ts'

/** Returns the newest halt dump of a task, undefined if there is none. Throws {@link StorageError}. */
export async function newestDumpOfTask(storage: Storage, taskId: string): Promise<HaltDump | undefined> {
  const [newest] = await listDumps(storage, { taskId, limit: 1 })
  return newest && (await loadDump(storage, newest.haltId))
}
