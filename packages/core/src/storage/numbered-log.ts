import { StorageError, type TenfoldError } from '../errors.ts'
import { putIfAbsent } from './put-if-absent.ts'
import type { Storage } from './storage.ts'
import { decodeOrFault, encodeJson } from './stored-json.ts'

/** A list of JSON values under numbered keys (`<prefix>00000001.json`, …) that only grows. */
export interface NumberedLog<T> {
  /** Prefix of the keys: `tracks/main/log/`. */
  readonly prefix: string
  /** For messages: `track main`. */
  readonly title: string
  /** Decodes entry `sequence`. Throws {@link StorageError} if the bytes are not an entry, or another one. */
  readonly decode: (key: string, bytes: Uint8Array, sequence: number) => T
  /** Whether a free number must not be given again. */
  readonly isRetired?: (storage: Storage, sequence: number) => Promise<boolean>
}

const maxSequence = 99_999_999
const maxAttempts = 1_000
const attemptsPerLook = 16

/** Returns the key of entry `sequence`; keys sort in the order of their numbers. */
export function numberedKey(prefix: string, sequence: number): string {
  return `${prefix}${String(sequence).padStart(8, '0')}.json`
}

/** Returns the entry of a number, undefined if there is none, or the error that says how it is damaged. */
export async function readNumbered<T>(
  storage: Storage,
  log: NumberedLog<T>,
  sequence: number,
): Promise<T | TenfoldError | undefined> {
  const key = numberedKey(log.prefix, sequence)
  const stored = await storage.get(key)
  return stored && decodeOrFault(() => log.decode(key, stored.bytes, sequence))
}

/** Returns the numbers of all entries in ascending order. */
export async function listNumbers(storage: Storage, prefix: string): Promise<number[]> {
  const numbers: number[] = []
  for await (const { key } of storage.list(prefix)) {
    const digits = /^(\d{8})\.json$/.exec(key.slice(prefix.length))?.[1]
    if (digits !== undefined) numbers.push(Number(digits))
  }
  return numbers
}

/**
 * Puts a value under the next free number: the commit point of a save. `hint` is a number known to be taken. Throws
 * {@link StorageError}, retryable, if a thousand numbers in a row went to others.
 */
export async function appendNumbered<T>(
  storage: Storage,
  log: NumberedLog<T>,
  make: (sequence: number) => T,
  options: { readonly hint?: number; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const head = async (): Promise<number> => (await listNumbers(storage, log.prefix)).at(-1) ?? 0
  let sequence = (options.hint ?? (await head())) + 1
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    options.signal?.throwIfAborted()
    const key = numberedKey(log.prefix, sequence)
    if (sequence > maxSequence)
      throw new StorageError(key, `the history of ${log.title} is full; use a new track`)
    if (await log.isRetired?.(storage, sequence)) {
      sequence = Math.max(sequence, await head()) + 1
      continue
    }
    const entry = make(sequence)
    const bytes = encodeJson(entry)
    if (await putIfAbsent(storage, key, bytes)) return entry
    // A put that was sent again because its answer was lost finds its own entry.
    const stored = await storage.get(key)
    if (stored !== undefined && Buffer.compare(stored.bytes, bytes) === 0) return entry
    if (stored !== undefined) sequence += 1
    if (attempt % attemptsPerLook === 0) sequence = Math.max(sequence, (await head()) + 1)
  }
  throw new StorageError(
    numberedKey(log.prefix, sequence),
    `${log.title}: other writers took every number; try again`,
    { retryable: true },
  )
}
