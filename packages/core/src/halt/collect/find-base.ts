import type { Storage } from '../../storage/storage.ts'
import { type DumpPlace, mayBeOfTask } from '../dump-keys.ts'
import type { DumpManifest } from '../dump-schema.ts'
import { haltIds, readManifest, readMetadata } from '../read-dump.ts'

/** Older ones are skipped: their parts would rarely be the same. */
const maxLooks = 100

/** Returns the manifest of the newest complete dump of a task, undefined if there is none. */
export async function findBase(
  storage: Storage,
  task: { readonly taskId: string; readonly projectId?: string | undefined },
  place: DumpPlace,
): Promise<DumpManifest | undefined> {
  const ids = (await haltIds(storage, place)).filter((haltId) => mayBeOfTask(haltId, task.taskId))
  for (const haltId of ids.reverse().slice(0, maxLooks)) {
    const metadata = await readMetadata(storage, haltId, place)
    if (metadata === undefined || metadata instanceof Error) continue
    if (metadata.taskId !== task.taskId || metadata.projectId !== task.projectId) continue
    const manifest = await readManifest(storage, haltId, place)
    if (manifest !== undefined && !(manifest instanceof Error)) return manifest
  }
  return undefined
}
