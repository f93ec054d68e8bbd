import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ContextBundle } from '../../src/bundle/schema.ts'
import { StorageError } from '../../src/errors.ts'
import { readLogCache } from '../../src/recall/log-cache.ts'
import { openArchivedLog, readArchivedSession } from '../../src/recall/open-archive.ts'
import { recall } from '../../src/recall/recall.ts'
import { entriesOfSession } from '../../src/recall/search-entry.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { archiveFileKey, archiveKey, logCacheKey, logWordsKey } from '../../src/store/keys.ts'
import { prune } from '../../src/store/prune/prune.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { copyOf } from '../support/filled-store.ts'
import { assistant, shell, toolCall, user } from '../support/session.ts'
import { keysOf } from '../support/stored.ts'
import { storeLog } from './stored-log.ts'

const full = memoryStorage()
let bundle: ContextBundle
let index: string

beforeAll(async () => {
  const store = bundleStore(full)
  const drafts = [
    user('about turtles that swim, and cafés \ud800'),
    ...shell('c1', 'cat turtles.txt', `${'slow turtle\n'.repeat(95_000)}the end`, { exitCode: 0 }),
    ...toolCall('c2', 'Read', { file_path: '/srv/turtles.ts' }, { text: '亀は遅い' }),
    assistant('turtles swim'),
  ]
  bundle = await storeLog(store, 'big', drafts)
  // More events, so that it ends later.
  const small = Array.from({ length: 9 }, (_, at) => user(`about hare${at}`))
  await storeLog(store, 'small', small)
  index = logCacheKey(bundle.source)
})

/** A store of its own with the same objects. */
const newStore = async () => bundleStore(await copyOf(full))

const cachesIn = async (storage: Storage): Promise<string[]> =>
  (await keysOf(storage)).filter((key) => key.endsWith('.recall'))

describe('the cache of a searched log', () => {
  it('contains what reading the archive again returns, and gives the same answers', async () => {
    const store = await newStore()
    const { storage } = store
    const cached = { storage, source: bundle.source }
    expect(await readLogCache(cached)).toBeUndefined()
    const plain = await openArchivedLog(store, bundle, { maxLogBytes: 2 ** 29 })
    const first = await openArchivedLog(store, bundle)
    expect(await cachesIn(storage)).toEqual([index])
    const entries = atOnce(entriesOfSession(await readArchivedSession(store, bundle)))
    expect(await readLogCache(cached)).toEqual({ title: 'Session big', entries })
    const second = await openArchivedLog(store, bundle)
    for (const query of ['turtles swim', '亀', 'e1-e4', '/srv/turtles.ts', 'café']) {
      const expected = await recall(plain, query)
      expect(await recall(first, query)).toEqual(expected)
      expect(await recall(second, query)).toEqual(expected)
    }
  })

  it.each([
    ['cut off', (bytes: Uint8Array) => bytes.slice(0, -1)],
    ['empty', () => new Uint8Array()],
    ['of another archive', (bytes: Uint8Array) => bytes.with(20, (bytes[20] ?? 0) ^ 1)],
    ['changed', (bytes: Uint8Array) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1)],
  ])('is made again if it is %s', async (_, damage) => {
    const store = await newStore()
    const { hits } = await recall(store, 'turtles', { bundle })
    const whole = await store.storage.get(index)
    await store.storage.put(index, damage(whole?.bytes ?? new Uint8Array()))
    expect(await readLogCache({ storage: store.storage, source: bundle.source })).toBeUndefined()
    expect((await recall(store, 'turtles', { bundle })).hits).toEqual(hits)
    expect((await store.storage.get(index))?.bytes).toEqual(whole?.bytes)
  })

  it.each([
    ['no packed text', Buffer.from('turtles')],
    ['no JSON', deflateSync('turtles\n')],
    ['other numbers than it says', deflateSync('{"text":{},"terms":[],"sizes":[4294967295,1,1,1]}\n')],
  ])('is made again if someone put %s under a valid checksum', async (_, forged) => {
    const store = await newStore()
    const { hits } = await recall(store, 'turtles', { bundle })
    const whole = Buffer.from((await store.storage.get(index))?.bytes ?? [])
    const [name, fingerprint] = whole.toString('latin1', 0, whole.indexOf('\n')).split(' ')
    const head = `${name} ${fingerprint} ${createHash('sha256').update(forged).digest('hex')}\n`
    await store.storage.put(index, Buffer.concat([Buffer.from(head), forged]))
    expect(await readLogCache({ storage: store.storage, source: bundle.source })).toBeUndefined()
    expect((await recall(store, 'turtles', { bundle })).hits).toEqual(hits)
  })

  it('never hides that the archive is missing or damaged', async () => {
    const store = await newStore()
    await openArchivedLog(store, bundle)
    for await (const { sha256 } of store.readArchive(bundle.source.sha256))
      await store.storage.put(archiveFileKey(sha256), new Uint8Array([1, 2, 3]))
    await expect(openArchivedLog(store, bundle, { fallback: false })).rejects.toThrow('cannot be unpacked')
    await store.storage.delete(archiveKey(bundle.source.sha256))
    expect((await recall(store, 'turtles', { bundle })).notes).toMatchObject([{ code: 'log-gone' }])
  })

  it('is not written for a small log, with a limit, over a network, or where nothing can be written', async () => {
    const store = await newStore()
    expect((await recall(store, 'hare7', { bundle: 'LATEST' })).hits).toHaveLength(1)
    await recall(store, 'turtles', { bundle, maxLogBytes: 2 ** 29 })
    await recall(bundleStore({ ...store.storage, remote: true }), 'turtles', { bundle })
    const put = async (key: string) => {
      throw new StorageError(key, 'read-only')
    }
    const { hits } = await recall(bundleStore({ ...store.storage, put }), 'turtles', { bundle })
    expect(hits.length).toBeGreaterThan(0)
    expect(await cachesIn(store.storage)).toEqual([])
  })

  it('is deleted with its words', async () => {
    const store = await newStore()
    const words = await store.storage.get(logWordsKey(bundle.source))
    expect(words).toBeDefined()
    await store.storage.delete(logWordsKey(bundle.source))
    const { hits } = await recall(store, 'turtles', { bundle })
    expect((await store.storage.get(logWordsKey(bundle.source)))?.bytes).toEqual(words?.bytes)
    await store.storage.put(logWordsKey(bundle.source), Buffer.from('tenfold-words 2\n'))
    expect((await recall(store, 'turtles', { bundle })).hits).toEqual(hits)
    expect((await store.storage.get(logWordsKey(bundle.source)))?.bytes).toEqual(words?.bytes)
  })

  it('is deleted with its archive, and neither copied nor reported', async () => {
    const store = await newStore()
    const { storage } = store
    await recall(store, 'turtles', { bundle })
    expect((await verifyStore(storage)).findings).toEqual([])
    const copy = memoryStorage()
    await copyStore(storage, copy)
    expect(await cachesIn(copy)).toEqual([])
    await prune(storage, { keepLast: 1 })
    expect(await storage.get(archiveKey(bundle.source.sha256))).toBeUndefined()
    expect(await cachesIn(storage)).toEqual([])
    // A pruned log can be searched, but is not cached again.
    expect((await recall(store, 'turtles', { bundle })).logs).toMatchObject([{ from: 'log' }])
    expect(await cachesIn(storage)).toEqual([])
  })
})
