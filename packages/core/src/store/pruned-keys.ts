import type { Storage } from '../storage/storage.ts'

/** Prefix of the objects that prune moved, each under its own key. */
export const prunedPrefix = 'pruned/'

export function prunedKey(key: string): string {
  return `${prunedPrefix}${key}`
}

/** Returns the object of a key, even if prune moved it. */
export async function getKept(
  storage: Storage,
  key: string,
): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | undefined> {
  return (await storage.get(key)) ?? (await storage.get(prunedKey(key)))
}
