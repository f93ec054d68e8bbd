import type * as z from 'zod/mini'
import { InvalidBundleError, messageOf, StorageError } from '../errors.ts'

/** Encodes a value as indented JSON in UTF-8 with a final newline, so that it diffs well. */
export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
}

export function decodeText(key: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw damaged(key, 'it is not UTF-8', { cause })
  }
}

/** Decodes stored JSON. Throws {@link StorageError} that names the key and the fault. */
export function decodeJson<T>(key: string, bytes: Uint8Array, schema: z.ZodMiniType<T>): T {
  const value = parseStoredJson(key, bytes)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  if (isNewer(value))
    throw new StorageError(key, `${key} was made by a newer tenfold; update tenfold to read it.`)
  const [issue] = result.error.issues
  throw damaged(key, `${issue?.path.join('.') || 'value'}: ${issue?.message}`)
}

/** All stored values except bundles are still of version 1. */
function isNewer(value: unknown): boolean {
  const version =
    typeof value === 'object' && value !== null && 'schemaVersion' in value && value.schemaVersion
  return Number.isSafeInteger(version) && Number(version) > 1
}

/** Parses stored bytes as JSON of any form. Throws {@link StorageError} if they are not JSON. */
export function parseStoredJson(key: string, bytes: Uint8Array): unknown {
  const text = decodeText(key, bytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damaged(key, `it is not JSON: ${messageOf(cause)}`, { cause })
  }
}

export function damaged(key: string, reason: string, options?: ErrorOptions): StorageError {
  return new StorageError(
    key,
    `${key} is damaged: ${reason}. Restore it from a backup, or delete it.`,
    options,
  )
}

/** Returns the result of `decode`, or its error if the bytes are damaged, for callers that continue without them. */
export function decodeOrFault<T>(decode: () => T): T | StorageError | InvalidBundleError {
  try {
    return decode()
  } catch (error) {
    return faultOf(error)
  }
}

/** Returns an error that reports damaged bytes; throws any other. */
export function faultOf(error: unknown): StorageError | InvalidBundleError {
  if (error instanceof StorageError || error instanceof InvalidBundleError) return error
  throw error
}
