import { createHash } from 'node:crypto'
import type { ContextBundle } from '../../src/bundle/schema.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type BundleStore, bundleStore } from '../../src/store/bundle-store.ts'
import { nextId, sampleBundle } from '../../src/testing/sample-bundle.ts'
import { keysOf } from './stored.ts'

export const day = (date: number): Date => new Date(Date.UTC(2026, 2, date))

/** Archives a text as a log of one file and returns its digest. */
export async function archiveText(store: BundleStore, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const log = {
    files: [
      {
        name: 'log.jsonl',
        async *blocks() {
          yield bytes
        },
      },
    ],
  }
  const read = { name: 'log.jsonl', bytes: bytes.byteLength, sha256 }
  await store.archive(log, { ...makeSource(sha256), files: [read] } as never)
  return sha256
}

function makeSource(sha256: string) {
  return { ...sampleBundle().source, sha256, bytes: 1 }
}

export interface Save extends Partial<ContextBundle> {
  /** Day of March 2026 of its creation. */
  readonly day: number
  /** Text of the log, which is archived. */
  readonly log?: string
}

/** Archives and saves, like `compressLog`. */
export async function save(
  store: BundleStore,
  { day: date, log, ...overrides }: Save,
): Promise<ContextBundle> {
  const sha256 = log === undefined ? undefined : await archiveText(store, log)
  const source = { ...sampleBundle().source, ...(sha256 !== undefined && { sha256, archived: true }) }
  const bundle = sampleBundle({ id: nextId(day(date)), source, ...overrides })
  await store.save(bundle)
  return bundle
}

export interface FilledStore {
  readonly storage: Storage
  readonly store: BundleStore
  readonly ids: readonly string[]
}

/**
 * Six bundles on `main`, days 1 to 6, each with its own archived log, except that the third and the sixth share one.
 */
export async function filledStore(): Promise<FilledStore> {
  const storage = memoryStorage()
  const store = bundleStore(storage)
  const ids: string[] = []
  for (let date = 1; date <= 6; date++)
    ids.push((await save(store, { day: date, log: `log ${date === 6 ? 3 : date}` })).id)
  return { storage, store, ids }
}

/** A new storage with the same objects, which takes a fraction of the time of making them. */
export async function copyOf(storage: Storage): Promise<Storage> {
  const copy = memoryStorage()
  for (const key of await keysOf(storage))
    await copy.put(key, (await storage.get(key))?.bytes ?? new Uint8Array())
  return copy
}

/** All objects of a store as text, by key. */
export async function contentOf(storage: Storage): Promise<Map<string, string>> {
  const content = new Map<string, string>()
  for (const key of await keysOf(storage))
    content.set(key, Buffer.from((await storage.get(key))?.bytes ?? []).toString('latin1'))
  return content
}
