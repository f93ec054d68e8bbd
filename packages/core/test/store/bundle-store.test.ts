import { describe, expect, it } from 'vitest'
import { newBundleId } from '../../src/bundle/bundle-id.ts'
import { bundleFromMarkdown } from '../../src/bundle/markdown.ts'
import { InvalidBundleError, StorageConflictError, StorageError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { cutOffStorage } from '../support/cut-off-storage.ts'
import { keysOf, textOf } from '../support/stored.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('save', () => {
  it('stores bundle, Markdown, entry and LATEST', async () => {
    const storage = memoryStorage()
    const bundle = sampleBundle({ task: 'task-7' })
    const saved = await bundleStore(storage).save(bundle)
    expect(saved).toEqual({
      id: bundle.id,
      key: `bundles/${bundle.id}.json`,
      markdownKey: `bundles/${bundle.id}.md`,
      track: 'main',
    })
    expect(await keysOf(storage)).toEqual([
      saved.key,
      saved.markdownKey,
      `tracks/main/${bundle.id}.json`,
      'tracks/main/LATEST.json',
      'tracks/main/LATEST.md',
    ])
    const json = await textOf(storage, saved.key)
    expect(json).toMatch(/^\{\n {2}"schemaVersion": 1,\n[\s\S]*\}\n$/)
    expect(JSON.parse(json)).toEqual(bundle)
    expect(bundleFromMarkdown(await textOf(storage, saved.markdownKey)).id).toBe(bundle.id)
    expect(await textOf(storage, 'tracks/main/LATEST.md')).toBe(await textOf(storage, saved.markdownKey))
    expect(await textOf(storage, 'tracks/main/LATEST.json')).toBe(json)
  })

  it('writes the same bytes for any order of the fields', async () => {
    const bundle = sampleBundle()
    const turned = Object.fromEntries(Object.entries(bundle).reverse()) as typeof bundle
    const [a, b] = [memoryStorage(), memoryStorage()]
    const { key } = await bundleStore(a).save(bundle)
    await bundleStore(b).save(turned)
    expect(await textOf(b, key)).toBe(await textOf(a, key))
  })

  it('changes nothing when the same bundle is saved again', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const bundle = sampleBundle()
    const first = await store.save(bundle)
    const second = await store.save(sampleBundle())
    const keys = await keysOf(storage)
    expect(await store.save(bundle)).toEqual(first)
    expect(await keysOf(storage)).toEqual(keys)
    expect(await store.history('main')).toHaveLength(2)
    expect((await store.latest('main'))?.entry.id).toBe(second.id)
  })

  it('refuses another bundle under a used id, and a value that is not a bundle', async () => {
    const store = bundleStore(memoryStorage())
    const bundle = sampleBundle()
    await store.save(bundle)
    await expect(store.save({ ...bundle, summary: 'Another one' })).rejects.toThrow(StorageConflictError)
    await expect(store.save({ ...bundle, id: '../up' })).rejects.toThrow(InvalidBundleError)
    expect(await store.history('main')).toHaveLength(1)
  })

  it('refuses a track that is not a valid folder name on every system, before it writes', async () => {
    const storage = memoryStorage()
    for (const track of ['CON', 'dot.', 'Lpt1.x'])
      await expect(bundleStore(storage).save({ ...sampleBundle(), track })).rejects.toThrow(
        InvalidBundleError,
      )
    expect(await keysOf(storage)).toEqual([])
    for (const track of ['a/b', '..', '', 'a/log/../b'])
      await expect(bundleStore(storage).latest(track), track).rejects.toThrow(StorageError)
  })

  it('keeps all parallel saves, and LATEST is the newest of them', async () => {
    const storage = memoryStorage()
    const stores = [bundleStore(storage), bundleStore(storage), bundleStore(storage)]
    const saves = Array.from({ length: 60 }, (_, index) => stores[index % 3]?.save(sampleBundle()))
    const saved = await Promise.all(saves)
    const ids = saved.map((one) => one?.id ?? '').sort()
    expect((await bundleStore(storage).history('main')).map(({ id }) => id)).toEqual(ids)
    const latest = await bundleStore(storage).latest('main')
    expect(latest?.entry.id).toBe(ids.at(-1))
    expect(saved.flatMap((one) => one?.warning ?? [])).toEqual([])
    expect(latest?.repaired).toBeUndefined()
    expect(bundleFromMarkdown(await textOf(storage, 'tracks/main/LATEST.md')).id).toBe(latest?.bundle.id)
  })

  it('stops at a signal until the commit', async () => {
    const storage = memoryStorage()
    const controller = new AbortController()
    const stopping: Storage = {
      ...storage,
      async put(key, value, condition) {
        if (key.endsWith('.json')) controller.abort(new Error('stop'))
        return await storage.put(key, value, condition)
      },
    }
    await expect(bundleStore(stopping).save(sampleBundle(), { signal: controller.signal })).rejects.toThrow(
      'stop',
    )
    expect(await bundleStore(storage).history('main')).toEqual([])
    expect(await bundleStore(storage).latest('main')).toBeUndefined()
  })

  it('recognizes its own entry if an answer was lost', async () => {
    const storage = memoryStorage()
    const forgetful: Storage = {
      ...storage,
      async put(key, value, condition) {
        await storage.put(key, value, condition)
        if (condition?.ifAbsent) throw new StorageConflictError(key, 'sent twice, the first answer was lost')
        return { etag: '' }
      },
    }
    const store = bundleStore(forgetful)
    const saved: string[] = []
    for (let count = 1; count <= 3; count++) saved.push((await store.save(sampleBundle())).id)
    expect((await store.history('main')).map(({ id }) => id)).toEqual(saved)
  })

  it('reports that LATEST could not be renewed, and readers find the bundle', async () => {
    const storage = memoryStorage()
    const full: Storage = {
      ...storage,
      async put(key, value, condition) {
        if (key.includes('LATEST')) throw new StorageError(key, 'no space left')
        return await storage.put(key, value, condition)
      },
    }
    const saved = await bundleStore(full).save(sampleBundle())
    expect(saved.warning).toMatch(/LATEST of track main was not renewed: no space left/)
    const latest = await bundleStore(full).latest('main')
    expect(latest?.bundle.id).toBe(saved.id)
    expect(latest?.repaired).toMatch(/LATEST of track main was not renewed: no space left/)
  })
})

describe('a save that is cut off at any call', () => {
  it('leaves all earlier saves, and makes latest and history agree', async () => {
    let cuts = 0
    for (let calls = 0; ; calls++) {
      const storage = memoryStorage()
      const store = bundleStore(storage)
      const before = await store.save(sampleBundle())
      const bundle = sampleBundle()
      let returned = true
      await bundleStore(cutOffStorage(storage, calls))
        .save(bundle)
        .catch(() => {
          returned = false
        })
      const latest = await store.latest('main')
      const history = await store.history('main')
      expect(latest?.entry).toEqual(history.at(-1))
      expect(history[0]?.id).toBe(before.id)
      if (returned) expect(latest?.bundle.id).toBe(bundle.id)
      // The same save then succeeds, once.
      expect(await store.save(bundle)).not.toHaveProperty('warning')
      expect((await store.latest('main'))?.bundle.id).toBe(bundle.id)
      expect((await store.latest('main'))?.repaired).toBeUndefined()
      expect(await store.history('main')).toHaveLength(2)
      expect(bundleFromMarkdown(await textOf(storage, 'tracks/main/LATEST.md')).id).toBe(bundle.id)
      if (returned) break
      cuts += 1
    }
    expect(cuts).toBeGreaterThan(5)
  })
})

describe('load', () => {
  it('accepts an id or the beginning of one', async () => {
    const store = bundleStore(memoryStorage())
    const [a, b] = [
      sampleBundle({ id: '20260304T050607089Z-111111111' }),
      sampleBundle({ id: '20260304T050607089Z-222222222' }),
    ]
    await store.save(a)
    await store.save(b)
    expect(await store.load(a.id)).toEqual(a)
    expect(await store.load('20260304T050607089Z-2')).toEqual(b)
    await expect(store.load('20260304')).rejects.toThrow(/beginning of 2 ids/)
    await expect(store.load('2027')).rejects.toThrow(/no bundle whose id begins with 2027/)
    const missing = { code: 'no-bundle', message: expect.stringContaining('holds no bundle') }
    await expect(store.load('20260304T050607089Z-333333333')).rejects.toMatchObject(missing)
    for (const id of ['', '../x', 'x', '2026/../..'])
      await expect(store.load(id), id).rejects.toThrow(/expected the id of a bundle/)
  })

  it('reports the fault of a damaged bundle', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const bundle = sampleBundle()
    const { key } = await store.save(bundle)
    await storage.put(key, bytes('{"schemaVersion": 1'))
    await expect(store.load(bundle.id)).rejects.toThrow(/is damaged: it is not JSON/)
    await storage.put(key, Uint8Array.of(0xff))
    await expect(store.load(bundle.id)).rejects.toThrow(/not UTF-8/)
    await storage.put(key, bytes(JSON.stringify({ ...bundle, summary: 1 })))
    await expect(store.load(bundle.id)).rejects.toThrow(InvalidBundleError)
    await storage.put(key, bytes(JSON.stringify(sampleBundle())))
    await expect(store.load(bundle.id)).rejects.toThrow(/it holds the bundle/)
  })
})

describe('latest', () => {
  async function threeSaves(): Promise<{ storage: Storage; ids: string[] }> {
    const storage = memoryStorage()
    const ids: string[] = []
    for (let index = 0; index < 3; index++) ids.push((await bundleStore(storage).save(sampleBundle())).id)
    return { storage, ids }
  }

  it('is undefined for a track without saves', async () => {
    expect(await bundleStore(memoryStorage()).latest('main')).toBeUndefined()
  })

  it('does not depend on its copy, and renews one that is missing, broken, stale, or of no bundle', async () => {
    const wrong: ((storage: Storage) => Promise<unknown>)[] = [
      (storage) => storage.delete('tracks/main/LATEST.json'),
      (storage) => storage.put('tracks/main/LATEST.json', bytes('{"id')),
      (storage) => storage.put('tracks/main/LATEST.json', bytes('null')),
      async (storage) => {
        const copy = (await storage.get('tracks/main/LATEST.json'))?.bytes ?? bytes('')
        await bundleStore(storage).save(sampleBundle())
        await storage.put('tracks/main/LATEST.json', copy)
      },
      (storage) => storage.put('tracks/main/LATEST.json', bytes(JSON.stringify(sampleBundle()))),
      (storage) => storage.put('tracks/main/LATEST.md', bytes('old')),
    ]
    for (const spoil of wrong) {
      const { storage } = await threeSaves()
      await spoil(storage)
      const store = bundleStore(storage)
      const newest = (await store.history('main')).at(-1)
      const latest = await store.latest('main')
      expect(latest?.entry).toEqual(newest)
      expect(latest?.repaired).toBeUndefined()
      for (const form of ['json', 'md'])
        expect(await textOf(storage, `tracks/main/LATEST.${form}`)).toBe(
          await textOf(storage, `bundles/${newest?.id}.${form}`),
        )
      const { id } = await store.save(sampleBundle())
      expect((await store.latest('main'))?.bundle.id).toBe(id)
    }
  })

  it('falls back to the newest healthy bundle, and so does its copy', async () => {
    for (const spoil of [
      (storage: Storage, key: string) => storage.delete(key),
      async (storage: Storage, key: string) =>
        storage.put(key, ((await storage.get(key))?.bytes ?? bytes('')).slice(0, 100)),
      async (storage: Storage, key: string) =>
        storage.put(key, bytes((await textOf(storage, key)).replace('parser', 'lexer!'))),
    ]) {
      const { storage, ids } = await threeSaves()
      await spoil(storage, `bundles/${ids[2]}.json`)
      const latest = await bundleStore(storage).latest('main')
      expect(latest?.bundle.id).toBe(ids[1])
      expect(latest?.repaired).toMatch(new RegExp(`bundles/${ids[2]}.json .*took ${ids[1]}`))
      expect(JSON.parse(await textOf(storage, 'tracks/main/LATEST.json')).id).toBe(ids[1])
    }
  })

  it('skips a damaged history entry', async () => {
    const { storage, ids } = await threeSaves()
    await storage.put(`tracks/main/${ids[2]}.json`, bytes('{}'))
    const latest = await bundleStore(storage).latest('main')
    expect(latest?.bundle.id).toBe(ids[1])
    expect(latest?.repaired).toMatch(new RegExp(`${ids[2]}\\.json is damaged`))
  })

  it('throws if no bundle is healthy, and passes on a failure of the store', async () => {
    const { storage, ids } = await threeSaves()
    const failing: Storage = {
      ...storage,
      async get(key) {
        if (key.startsWith('bundles/')) throw new StorageError(key, 'too many files', { retryable: true })
        return await storage.get(key)
      },
    }
    await expect(bundleStore(failing).latest('main')).rejects.toMatchObject({ retryable: true })
    for (const id of ids) await storage.delete(`bundles/${id}.json`)
    await expect(bundleStore(storage).latest('main')).rejects.toThrow(/no bundle of track main is intact/)
  })
})

describe('list', () => {
  it('filters, sorts by time over tracks, and contains what a list shows', async () => {
    const store = bundleStore(memoryStorage())
    const day = (date: number) => newBundleId(new Date(Date.UTC(2026, 2, date)))
    const source = sampleBundle().source
    const plan = sampleBundle({ id: day(3), kind: 'plan', track: 'b', task: 't1' })
    const context = sampleBundle({
      id: day(1),
      track: 'a',
      source: { ...source, sessionId: 's2', sha256: 'b'.repeat(64) },
    })
    const progress = sampleBundle({ id: day(2), kind: 'progress', track: 'b', task: 't1', nextSteps: [] })
    for (const bundle of [plan, context, progress]) await store.save(bundle)
    const ids = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id)

    expect(await store.tracks()).toEqual(['a', 'b'])
    expect(ids(await store.list())).toEqual([context.id, progress.id, plan.id])
    expect(ids(await store.list({ track: 'b' }))).toEqual([progress.id, plan.id])
    expect(ids(await store.history('b'))).toEqual([progress.id, plan.id])
    expect(ids(await store.list({ kind: 'plan' }))).toEqual([plan.id])
    expect(ids(await store.list({ sessionId: 's2' }))).toEqual([context.id])
    expect(ids(await store.list({ task: 't1', kind: 'progress' }))).toEqual([progress.id])
    expect(ids(await store.findBySource('b'.repeat(64)))).toEqual([context.id])
    expect((await store.list({ kind: 'plan' }))[0]).toMatchObject({
      track: 'b',
      format: 'claude-code',
      sessionId: 'session-1',
      title: 'Fix the parser',
      cwd: '/home/dev/project',
      task: 't1',
      sourceTokens: 10_000,
      bundleTokens: 800,
      ratio: 0.08,
      band: 'within',
      nextStep: 'Run the whole suite',
    })
    expect((await store.list({ kind: 'progress' }))[0]).not.toHaveProperty('nextStep')
  })

  it('throws on a damaged entry, or calls onDamaged and continues', async () => {
    const storage = memoryStorage()
    const first = await bundleStore(storage).save(sampleBundle())
    const { id } = await bundleStore(storage).save(sampleBundle())
    await storage.put(`tracks/main/${first.id}.json`, bytes('[]'))
    await expect(bundleStore(storage).list()).rejects.toThrow(`${first.id}.json is damaged`)
    const heard: string[] = []
    const entries = await bundleStore(storage, { onDamaged: (error) => heard.push(error.message) }).list()
    expect(entries.map((entry) => entry.id)).toEqual([id])
    expect(heard).toHaveLength(1)
  })
})
