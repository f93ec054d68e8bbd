import type { Storage } from '@tenfold/core'
import { decodeJson, encodeJson, putIfAbsent, putIfMatch } from '@tenfold/core/internal'
import type * as z from 'zod/mini'

/** A stored value with the etag that a conditional put of its successor needs. */
export interface StoredValue<T> {
  readonly value: T
  readonly etag: string
}

/** Reads stored JSON. Throws StorageError that names the key and what is wrong with it. */
export async function readValue<T>(
  storage: Storage,
  key: string,
  schema: z.ZodMiniType<T>,
): Promise<StoredValue<T> | undefined> {
  const stored = await storage.get(key)
  return stored && { value: decodeJson(key, stored.bytes, schema), etag: stored.etag }
}

/** Puts a value under an unused key; returns false if the key is taken. */
export async function addValue(storage: Storage, key: string, value: unknown): Promise<boolean> {
  return await putIfAbsent(storage, key, encodeJson(value))
}

/** Puts a value if the stored one still has this `etag`; returns false otherwise. */
export async function replaceValue(
  storage: Storage,
  key: string,
  value: unknown,
  etag: string,
): Promise<boolean> {
  return await putIfMatch(storage, key, encodeJson(value), etag)
}
