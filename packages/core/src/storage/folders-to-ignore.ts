import type { Storage } from './storage.ts'

/** Returns the folders whose files do not count as changed: the given ones, by default the folder of the storage. */
export function foldersToIgnore(
  given: readonly string[] | undefined,
  storage: Storage | undefined,
): readonly string[] {
  return given ?? (storage?.folder === undefined ? [] : [storage.folder])
}
