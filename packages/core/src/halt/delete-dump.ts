import type { Storage } from '../storage/storage.ts'
import { type DumpPlace, dumpKey, dumpPaths } from './dump-keys.ts'
import { loadDump } from './read-dump.ts'

/** Result of a deletion. */
export interface DeletedDump {
  readonly deleted: readonly string[]
}

/** Deletes a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function deleteDump(
  storage: Storage,
  haltId: string,
  place: DumpPlace = {},
): Promise<DeletedDump> {
  await loadDump(storage, haltId, place)
  const keys: string[] = []
  for await (const { key } of storage.list(dumpKey(place, haltId, ''))) keys.push(key)
  // The manifest first and the metadata last: until the end it is listed, as incomplete, and can be deleted again.
  const rankOf = (key: string): number =>
    key.endsWith(`/${dumpPaths.manifest}`) ? 0 : key === dumpKey(place, haltId, dumpPaths.metadata) ? 2 : 1
  keys.sort((a, b) => rankOf(a) - rankOf(b))
  for (const key of keys) await storage.delete(key)
  return { deleted: keys }
}
