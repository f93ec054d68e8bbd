import { StorageError } from '../../errors.ts'
import { putIfAbsent, putIfMatch } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault, decodeText } from '../../storage/stored-json.ts'
import { type ArchivedName, formatSums, parseSums, redactedParts } from './sums.ts'

/** A stored list of archived files; `files` is missing if it is damaged. */
export interface StoredSums {
  readonly etag: string
  readonly files?: readonly ArchivedName[]
}

export async function readSums(storage: Storage, key: string): Promise<StoredSums | undefined> {
  const stored = await storage.get(key)
  if (stored === undefined) return undefined
  const text = decodeOrFault(() => decodeText(key, stored.bytes))
  const files = typeof text === 'string' ? parseSums(text) : undefined
  return { etag: stored.etag, ...(files !== undefined && { files }) }
}

const attempts = 5

/**
 * Stores a list of archived files and returns the one that holds: an existing list is replaced only if it is damaged,
 * or if the new one has more redacted parts.
 */
export async function putSums(
  storage: Storage,
  key: string,
  files: readonly ArchivedName[],
): Promise<readonly ArchivedName[]> {
  const bytes = new TextEncoder().encode(formatSums(files))
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await putIfAbsent(storage, key, bytes)) return files
    const stored = await readSums(storage, key)
    if (stored === undefined) continue
    if (stored.files !== undefined && redactedParts(stored.files) >= redactedParts(files)) return stored.files
    if (await putIfMatch(storage, key, bytes, stored.etag)) return files
  }
  throw new StorageError(key, `${storage.name}: ${key} keeps changing; try again`, { retryable: true })
}

/** Returns the size of a stored object, undefined if there is none. */
export async function storedSize(storage: Storage, key: string): Promise<number | undefined> {
  for await (const object of storage.list(key)) if (object.key === key) return object.size
  return undefined
}
