import type { Storage } from '../../src/storage/storage.ts'

/** The keys of a storage that begin with a prefix. */
export async function keysOf(storage: Storage, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storage.list(prefix)) keys.push(key)
  return keys
}

/** The object of a key as text; empty if there is none. */
export async function textOf(storage: Storage, key: string): Promise<string> {
  return new TextDecoder().decode((await storage.get(key))?.bytes)
}

export async function putText(storage: Storage, key: string, text: string): Promise<void> {
  await storage.put(key, new TextEncoder().encode(text))
}

/** All objects of a storage by key, each byte as one character. */
export async function bytesIn(storage: Storage): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const key of await keysOf(storage))
    found[key] = Buffer.from((await storage.get(key))?.bytes ?? []).toString('latin1')
  return found
}
