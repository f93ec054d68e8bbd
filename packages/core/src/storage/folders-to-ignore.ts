import type { Storage } from './storage.ts'

/** The folders whose files do not count as changed: those given, otherwise the one that the storage keeps its files in. */
export function foldersToIgnore(
  given: readonly string[] | undefined,
  storage: Storage | undefined,
): readonly string[] {
  return given ?? (storage?.folder === undefined ? [] : [storage.folder])
}
