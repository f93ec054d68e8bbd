import type { Storage } from '../storage/storage.ts'

/** Below it lies what prune moved away, each object under its own key. */
export const prunedPrefix = 'pruned/'

/** Where prune moves the object of a key. */
export function prunedKey(key: string): string {
  return `${prunedPrefix}${key}`
}

/** The object of a key, also where prune moved it away. */
export async function getKept(
  storage: Storage,
  key: string,
): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined> {
  return (await storage.get(key)) ?? (await storage.get(prunedKey(key)))
}
