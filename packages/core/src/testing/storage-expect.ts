import { equal, ok, rejects } from 'node:assert/strict'
import { TenfoldError } from '../errors.ts'
import type { ListOptions, PutCondition, Storage } from '../storage/storage.ts'
import type { SuiteCase } from './cases-of.ts'

/** One law of {@link Storage}. `makeStorage` must return a new, empty storage. */
export type StorageCase = SuiteCase<() => Promise<Storage>>

/** Makes cases of laws that each need one storage. */
export function storageCasesOf(laws: Readonly<Record<string, (storage: Storage) => Promise<void>>>) {
  return Object.entries(laws).map(
    ([name, law]): StorageCase => ({ name, run: async (makeStorage) => await law(await makeStorage()) }),
  )
}

export const encoder = new TextEncoder()
const writers = 16

export async function expectBytes(storage: Storage, key: string, bytes: Uint8Array): Promise<void> {
  const stored = await storage.get(key)
  ok(stored !== undefined, `${key} is there`)
  equal(stored.bytes.byteLength, bytes.byteLength, `length of ${key}`)
  ok(Buffer.compare(stored.bytes, bytes) === 0, `bytes of ${key}`)
}

export async function expectConflict(put: Promise<unknown>): Promise<void> {
  await rejects(put, isConflict, 'expected a StorageConflictError')
}

function isConflict(error: unknown): boolean {
  return TenfoldError.isInstance(error) && error.code === 'storage-conflict'
}

/** `label` keeps the values of different calls distinct, since an etag may depend only on the content. */
export async function expectOneWinner(storage: Storage, key: string, condition: PutCondition, label = key) {
  const values = Array.from({ length: writers }, (_, index) => encoder.encode(`${label} by ${index}`))
  const results = await Promise.allSettled(values.map((bytes) => storage.put(key, bytes, condition)))
  const winners = values.filter((_, index) => results[index]?.status === 'fulfilled')
  equal(winners.length, 1, `winners of ${writers} on ${key}`)
  for (const result of results)
    if (result.status === 'rejected') ok(isConflict(result.reason), String(result.reason))
  await expectBytes(storage, key, winners[0] ?? new Uint8Array())
}

export async function compareAndSwap(
  storage: Storage,
  key: string,
  times: number,
  next: (text: string) => string,
): Promise<void> {
  for (let done = 0; done < times; ) {
    const stored = await storage.get(key)
    ok(stored !== undefined)
    const bytes = encoder.encode(next(new TextDecoder().decode(stored.bytes)))
    try {
      await storage.put(key, bytes, { ifMatch: stored.etag })
      done += 1
    } catch (error) {
      ok(isConflict(error), String(error))
    }
  }
}

export async function listAll(storage: Storage, prefix: string, options?: ListOptions) {
  const found: { key: string; size: number }[] = []
  for await (const { key, size } of storage.list(prefix, options)) found.push({ key, size })
  return found
}

export async function inParallel<T>(values: readonly T[], run: (value: T) => Promise<unknown>) {
  for (let start = 0; start < values.length; start += 32)
    await Promise.all(values.slice(start, start + 32).map(run))
}

/** Lets other tasks run even if a storage answers without waiting. */
export async function pause(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

export function everyByte(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, index) => index)
}

/** Returns bytes that do not compress, the same in each run. */
export function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}
