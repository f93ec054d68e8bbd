// Keeps bundles in any driver of unstorage: Azure Blob, Google Cloud through its S3 interface, Cloudflare KV, Netlify,
// Vercel and others. Proves the adapter with the conformance suite, here over unstorage's memory.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { bundleStore, compressLog, type Storage, StorageConflictError } from '@tenfold/core'
import { assertStorageKey } from '@tenfold/core/storage'
import { storageCases } from '@tenfold/core/testing'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { createStorage, type Storage as Unstorage } from 'unstorage'

/**
 * Tenfold's storage over unstorage's. A driver has no conditional writes, so they are made one after another here: one
 * process may write at a time. Bundles never need more, because each has a name of its own.
 */
function unstorageStorage(store: Unstorage): Storage {
  let last: Promise<unknown> = Promise.resolve()
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    return done
  }
  /** unstorage separates by colons and folds slashes into them, and some drivers fold case: hex stays as it is. */
  const nameOf = (key: string): string => Buffer.from(key).toString('hex')
  const keyOf = (name: string): string => Buffer.from(name, 'hex').toString()

  async function read(key: string): Promise<{ bytes: Uint8Array; etag: string } | undefined> {
    const value = await store.getItemRaw(nameOf(key))
    if (value === null || value === undefined) return undefined
    const bytes = Uint8Array.from(value as Uint8Array)
    return { bytes, etag: createHash('sha256').update(bytes).digest('hex') }
  }

  return {
    name: 'unstorage',
    async get(key) {
      assertStorageKey(key)
      return await read(key)
    },
    async put(key, bytes, { ifAbsent, ifMatch } = {}) {
      assertStorageKey(key)
      const copy = Uint8Array.from(bytes)
      return await oneByOne(async () => {
        const there = ifAbsent === true || ifMatch !== undefined ? await read(key) : undefined
        if (ifAbsent === true && there !== undefined)
          throw new StorageConflictError(key, `${key} exists already`)
        if (ifMatch !== undefined && there?.etag !== ifMatch)
          throw new StorageConflictError(key, `${key} was changed meanwhile`)
        await store.setItemRaw(nameOf(key), copy)
        return { etag: createHash('sha256').update(copy).digest('hex') }
      })
    },
    async *list(prefix, { after = '' } = {}) {
      const keys = (await store.getKeys()).map(keyOf).filter((key) => key.startsWith(prefix) && key > after)
      for (const key of keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
        const found = await read(key)
        if (found !== undefined) yield { key, size: found.bytes.byteLength }
      }
    },
    async delete(key) {
      assertStorageKey(key)
      await oneByOne(() => store.removeItem(nameOf(key)))
    },
  }
}

for (const { run } of storageCases) await run(async () => unstorageStorage(createStorage()))
console.log(`unstorage obeys all ${storageCases.length} laws of a storage`)

const [log = fileURLToPath(new URL('../logs/claude-code-rate-limiter.jsonl', import.meta.url))] =
  process.argv.slice(2)
const store = bundleStore(unstorageStorage(createStorage()))
const { bundle } = await compressLog(log, { summarizer: extractiveSummarizer(), store })
assert.equal((await store.latest('main'))?.bundle.id, bundle.id)
