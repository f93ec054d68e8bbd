import { type Storage, StorageError, TenfoldError } from '@tenfold/core'
import type { z } from 'zod'

/** A stored value with the etag that a conditional put of its successor needs. */
export interface StoredValue<T> {
  readonly value: T
  readonly etag: string
}

/** Parses stored JSON. Throws StorageError that names the key and what is wrong with it. */
export async function readValue<T>(
  storage: Storage,
  key: string,
  schema: z.ZodType<T>,
): Promise<StoredValue<T> | undefined> {
  const stored = await storage.get(key)
  if (stored === undefined) return undefined
  const result = schema.safeParse(parse(key, stored.bytes))
  if (result.success) return { value: result.data, etag: stored.etag }
  const [issue] = result.error.issues
  throw damaged(key, `${issue?.path.join('.') || 'value'}: ${issue?.message}`)
}

/** A value as indented JSON in UTF-8. */
export function encodeValue(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`)
}

/** Puts a value under an unused key; returns false if the key is taken. */
export async function addValue(storage: Storage, key: string, value: unknown): Promise<boolean> {
  return await wins(() => storage.put(key, encodeValue(value), { ifAbsent: true }))
}

/** Puts a value if the stored one still has this `etag`; returns false otherwise. */
export async function replaceValue(
  storage: Storage,
  key: string,
  value: unknown,
  etag: string,
): Promise<boolean> {
  return await wins(() => storage.put(key, encodeValue(value), { ifMatch: etag }))
}

/** The error for an object of a batch job with impossible content. */
export function damaged(key: string, reason: string, options?: ErrorOptions): StorageError {
  return new StorageError(key, `${key} is damaged: ${reason}. Restore it from a backup.`, options)
}

function parse(key: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw damaged(key, 'it is not JSON in UTF-8', { cause })
  }
}

async function wins(put: () => Promise<unknown>): Promise<boolean> {
  try {
    await put()
    return true
  } catch (error) {
    if (TenfoldError.isInstance(error) && error.code === 'storage-conflict') return false
    throw error
  }
}
