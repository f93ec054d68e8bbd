import { brotliCompressSync, constants } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { newBundleId } from '../../src/bundle/bundle-id.ts'
import { TenfoldError } from '../../src/errors.ts'
import { logDigest } from '../../src/session/log-digest.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { formatSums } from '../../src/store/archive/sums.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { planPrune, prune } from '../../src/store/prune/prune.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { cutOffEverywhere } from '../support/cut-off-storage.ts'
import { archiveText, contentOf, copyOf, day, filledStore, save } from '../support/filled-store.ts'
import { hookedStorage, once } from '../support/hooked-storage.ts'
import { keysOf } from '../support/stored.ts'

const hours = 60 * 60 * 1000
const ids = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id)

async function expectWhole(storage: Storage): Promise<void> {
  expect((await verifyStore(storage)).findings).toEqual([])
}

describe('prune', () => {
  it('moves everything beyond the last ones, with Markdown, entry and archive', async () => {
    const { storage, store, ids: all } = await filledStore()
    const before = await contentOf(storage)
    const result = await prune(storage, { keepLast: 2 })
    expect(ids(result.moved)).toEqual(all.slice(0, 4))
    expect(result).toMatchObject({ deleted: [], kept: [], skipped: [] })
    // The third shares its log with the sixth.
    expect(result.archives.moved).toHaveLength(3)
    expect(ids(await store.history('main'))).toEqual(all.slice(4))
    const after = await contentOf(storage)
    for (const [key, text] of before) {
      const place = after.has(key) ? key : `pruned/${key}`
      expect(after.get(place), key).toBe(text)
    }
    expect(after.size).toBe(before.size)
    await expectWhole(storage)
  })

  it('keeps younger bundles, and requires both conditions if both are given', async () => {
    const { storage, ids: all } = await filledStore()
    const now = day(7)
    const move = async (policy: object): Promise<string[]> =>
      ids((await planPrune(storage, { now, ...policy })).move)
    expect(await move({ olderThan: 60 * hours })).toEqual(all.slice(0, 4))
    expect(await move({ olderThan: 60 * hours, keepLast: 3 })).toEqual(all.slice(0, 3))
    expect(await move({ olderThan: 100 * hours, keepLast: 1 })).toEqual(all.slice(0, 2))
    expect(await move({ olderThan: 0 })).toEqual(all.slice(0, 5))
    expect(await move({ olderThan: 600 * hours })).toEqual([])
    expect(await move({ keepLast: 9 })).toEqual([])
  })

  it('counts each track and kind separately, and prunes only the requested ones', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const saved = new Map<string, string[]>()
    for (let date = 1; date <= 3; date++)
      for (const track of ['a', 'b'])
        for (const kind of ['plan', 'progress'] as const) {
          const { id } = await save(store, { day: date, track, kind })
          saved.set(`${track} ${kind}`, [...(saved.get(`${track} ${kind}`) ?? []), id])
        }
    const first = (name: string, count: number) => saved.get(name)?.slice(0, count) ?? []
    const all = ['a plan', 'a progress', 'b plan', 'b progress']
    const plan = async (policy: object) => ids((await planPrune(storage, policy)).move).sort()
    expect(await plan({ keepLast: 2 })).toEqual(all.flatMap((name) => first(name, 1)).sort())
    expect(await plan({ keepLast: 1, tracks: ['a'] })).toEqual(
      [...first('a plan', 2), ...first('a progress', 2)].sort(),
    )
    expect(await plan({ keepLast: 1, tracks: ['b'], kinds: ['plan'] })).toEqual(first('b plan', 2))
  })

  it('never removes what LATEST names, or anything newer', async () => {
    const { storage, store, ids: all } = await filledStore()
    const now = day(60)
    const { kept } = await planPrune(storage, { olderThan: 0, now })
    expect(ids(kept)).toEqual([all[5]])
    // The newest one is damaged: LATEST falls back to the fifth, which is kept.
    await storage.put(`bundles/${all[5]}.json`, new TextEncoder().encode('{}'))
    const result = await prune(storage, { olderThan: 0, now, delete: true })
    expect(ids(result.deleted)).toEqual(all.slice(0, 4))
    expect((await store.latest('main'))?.bundle.id).toBe(all[4])
  })

  it('leaves a track without a healthy bundle alone', async () => {
    const { storage, ids: all } = await filledStore()
    for (const id of all) await storage.delete(`bundles/${id}.json`)
    const before = await contentOf(storage)
    const result = await prune(storage, { keepLast: 1, delete: true })
    expect(result).toMatchObject({ moved: [], deleted: [] })
    expect(result.skipped.map(({ reason }) => reason).join()).toMatch(/no bundle of track main is intact/)
    expect(await contentOf(storage)).toEqual(before)
  })

  it('prunes the earlier bundles of a chain, which are still found by their ids', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const task = { task: 'T-1' }
    const research = await save(store, { day: 1, kind: 'research', ...task })
    const plan = await save(store, { day: 2, kind: 'plan', previous: research.id, ...task })
    const other = await save(store, { day: 3 })
    const progress = await save(store, { day: 4, kind: 'progress', previous: plan.id, ...task })
    const now = day(30)
    const planned = await planPrune(storage, { olderThan: 1, now })
    expect(ids(planned.move)).toEqual([research.id, plan.id, other.id])
    expect(ids(planned.kept)).toEqual([progress.id])
    const result = await prune(storage, { olderThan: 1, now })
    expect(ids(result.moved)).toEqual([research.id, plan.id, other.id])
    expect(ids(await store.list({ task: 'T-1' }))).toEqual([progress.id])
    for (const id of [plan.id, plan.id.slice(0, 12)]) expect(await store.load(id)).toEqual(plan)
    await expectWhole(storage)
  })

  it('deletes for good on request, including what was moved before, and leaves tombstones', async () => {
    const { storage, store, ids: all } = await filledStore()
    await prune(storage, { keepLast: 4 })
    const result = await prune(storage, { keepLast: 2, delete: true })
    expect(ids(result.deleted)).toEqual(all.slice(0, 4))
    expect(result.moved).toEqual([])
    expect(result.archives.deleted).toHaveLength(3)
    expect(await keysOf(storage, 'pruned/')).toEqual(
      all.slice(0, 4).map((id) => `pruned/tracks/main/${id}.json`),
    )
    for (const key of await keysOf(storage, 'pruned/'))
      expect(new TextDecoder().decode((await storage.get(key))?.bytes)).not.toMatch(/parser|project/)
    await expect(store.load(all[0] ?? '')).rejects.toThrow(/holds no bundle/)
    expect((await keysOf(storage, 'archive/')).length).toBe(4)
    await expectWhole(storage)
    // Nothing is left to do.
    expect(await prune(storage, { keepLast: 2, delete: true })).toMatchObject({ deleted: [], skipped: [] })
  })

  it('keeps the archive of a log that something else refers to', async () => {
    const { storage, store, ids: all } = await filledStore()
    const { source } = await store.load(all[0] ?? '')
    const job = JSON.stringify({ sessions: [{ source: source.sha256 }] })
    await storage.put('batches/job-1/job.json', new TextEncoder().encode(job))
    const result = await prune(storage, { keepLast: 2, delete: true })
    expect(result.archives.deleted).toHaveLength(2)
    expect(await keysOf(storage, `archive/${source.sha256}`)).toHaveLength(1)
    await expectWhole(storage)
  })

  it('keeps the archive of a bundle whose save is still running, and files that another log shares', async () => {
    const { storage, store, ids: all } = await filledStore()
    const orphan = await archiveText(store, 'of a save that is on its way')
    const { source } = await store.load(all[0] ?? '')
    // A log of two files, one of which is the log of the first bundle.
    const files = [
      { name: 'log.jsonl', sha256: source.sha256 },
      { name: 'b.jsonl', sha256: orphan },
    ]
    const both = logDigest(files)
    await storage.put(`archive/${both}.sums`, new TextEncoder().encode(formatSums(files)))
    await save(store, { day: 7, source: { ...source, sha256: both, files: 2 } })
    const result = await prune(storage, { keepLast: 1, delete: true })
    expect(result.archives.deleted).toContain(source.sha256)
    expect(await keysOf(storage, 'pruned/archive/')).toEqual([])
    const codes = (await verifyStore(storage)).findings.map(({ code }) => code)
    expect(codes).toEqual(['archive-without-bundle'])
    let text = ''
    for await (const file of store.readArchive(both))
      for await (const block of file.blocks()) text += new TextDecoder().decode(block)
    expect(text).toBe('log 1of a save that is on its way')
  })

  it('deletes no file that the archive of another pruned bundle shares', async () => {
    const { storage, store, ids: all } = await filledStore()
    const { source } = await store.load(all[0] ?? '')
    const other = (await store.load(all[1] ?? '')).source
    const files = [
      { name: 'log.jsonl', sha256: source.sha256 },
      { name: 'b.jsonl', sha256: other.sha256 },
    ]
    const both = logDigest(files)
    await storage.put(`archive/${both}.sums`, new TextEncoder().encode(formatSums(files)))
    await save(store, { day: 7, kind: 'plan', source: { ...source, sha256: both, files: 2 } })
    await save(store, { day: 8, kind: 'plan' })
    await prune(storage, { keepLast: 1, kinds: ['plan', 'context'] })
    await prune(storage, { keepLast: 1, kinds: ['context'], delete: true })
    const texts: string[] = []
    for await (const file of store.readArchive(both))
      for await (const block of file.blocks()) texts.push(new TextDecoder().decode(block))
    expect(texts).toEqual(['log 1', 'log 2'])
    await expectWhole(storage)
  })

  it('moves an archive back if it is in use again', async () => {
    const { storage, store, ids: all } = await filledStore()
    const { source } = await store.load(all[0] ?? '')
    for (const remove of [false, true]) {
      const bundle = sampleBundle({ id: newBundleId(day(10)), track: remove ? 'a' : 'b', source })
      const pruner = hookedStorage(
        storage,
        () => undefined,
        once('delete', `archive/${source.sha256}.sums`, () => store.save(bundle)),
      )
      await prune(pruner, { keepLast: 1, delete: remove })
      expect(await keysOf(storage, `archive/${source.sha256}`)).toHaveLength(1)
      await expectWhole(storage)
    }
  })

  it('keeps all archives if the references of a bundle are unknown', async () => {
    const { storage, ids: all } = await filledStore()
    await storage.put(`tracks/main/${all[1]}.json`, new TextEncoder().encode('{}'))
    await storage.put(`bundles/${all[1]}.json`, new TextEncoder().encode('{}'))
    const archives = await keysOf(storage, 'archive/')
    const result = await prune(storage, { keepLast: 1, delete: true })
    expect(result.deleted).toHaveLength(4)
    expect(await keysOf(storage, 'archive/')).toEqual(archives)
    expect(result.skipped.map(({ key }) => key).sort()).toEqual([
      `bundles/${all[1]}.json`,
      `tracks/main/${all[1]}.json`,
    ])
  })

  it('leaves a missing bundle as it is, and reports it', async () => {
    const { storage, ids: all } = await filledStore()
    await storage.delete(`bundles/${all[1]}.json`)
    const result = await prune(storage, { keepLast: 1, delete: true })
    expect(ids(result.deleted)).toEqual([all[0], all[2], all[3], all[4]])
    expect(result.skipped).toEqual([
      { key: `bundles/${all[1]}.json`, reason: `bundles/${all[1]}.json is missing` },
    ])
  })

  it('treats a file that another version packed differently as equal, but not a damaged one', async () => {
    const { storage, ids: all } = await filledStore()
    const { sha256 } = (await bundleStore(storage).load(all[0] ?? '')).source
    const key = `archive/${sha256.slice(0, 2)}/${sha256}.br`
    const params = { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 10 }
    await storage.put(`pruned/${key}`, brotliCompressSync('log 1', { params }))
    const original = (await storage.get(key))?.bytes ?? new Uint8Array()
    await storage.put(key, original.slice(1))
    const { skipped } = await prune(storage, { keepLast: 3 })
    expect(skipped).toEqual([{ key, reason: `pruned/${key} holds other bytes` }])
    await storage.put(key, original)
    expect(await prune(storage, { keepLast: 3 })).toMatchObject({ skipped: [] })
    expect(await storage.get(key)).toBeUndefined()
    await expectWhole(storage)
  })

  it('plans without writing', async () => {
    const { storage } = await filledStore()
    const before = await contentOf(storage)
    const plan = await planPrune(storage, { keepLast: 2 })
    expect(plan.archives).toHaveLength(3)
    expect(await contentOf(storage)).toEqual(before)
  })

  it('refuses a policy that is empty or makes no sense', async () => {
    const storage = memoryStorage()
    for (const policy of [
      {},
      { keepLast: 0 },
      { keepLast: 1.5 },
      { olderThan: -1 },
      { olderThan: Number.NaN },
    ])
      await expect(prune(storage, policy), JSON.stringify(policy)).rejects.toThrow(TenfoldError)
    await expect(prune(storage, { kinds: ['plan'] })).rejects.toMatchObject({ code: 'bad-policy' })
    expect(await prune(storage, { keepLast: 1 })).toMatchObject({ moved: [], skipped: [] })
  })

  it('stops at a signal between two bundles, and the next prune continues', async () => {
    const { storage, store } = await filledStore()
    for (let date = 7; date <= 20; date++) await save(store, { day: date })
    const controller = new AbortController()
    const { signal } = controller
    const report = ({ done }: { readonly done: number }): void => {
      if (done === 2) controller.abort(new Error('stop'))
    }
    await expect(prune(storage, { keepLast: 1, signal, report })).rejects.toThrow('stop')
    const moved = (await keysOf(storage, 'pruned/bundles/')).length
    expect(moved).toBeGreaterThanOrEqual(4)
    expect(moved).toBeLessThan(16)
    await expectWhole(storage)
    await prune(storage, { keepLast: 1 })
    expect(await keysOf(storage, 'pruned/bundles/')).toHaveLength(38)
    await expectWhole(storage)
  })
})

describe('a prune that is cut off at any call', () => {
  for (const remove of [false, true])
    it(`${remove ? 'with deletion' : 'that moves'} leaves everything readable, and the next one finishes it`, async () => {
      const { storage: begun, ids: all } = await filledStore()
      const other = await copyOf(begun)
      await prune(begun, { keepLast: 5 })
      await prune(other, { keepLast: 4, delete: true })
      // Brings the tombstone of a bundle that is still here.
      await copyStore(other, begun)
      const options = { keepLast: 2, delete: remove }
      const cuts = await cutOffEverywhere(
        () => copyOf(begun),
        (storage) => prune(storage, options),
        async (storage) => {
          const store = bundleStore(storage)
          const kept = remove ? all.slice(4) : all
          for (const id of kept) {
            const { source } = await store.load(id)
            for await (const file of store.readArchive(source.sha256)) for await (const _ of file.blocks());
          }
          expect((await store.latest('main'))?.bundle.id).toBe(all[5])
          expect((await store.latest('main'))?.repaired).toBeUndefined()
          expect((await verifyStore(storage)).findings.filter(({ level }) => level === 'fault')).toEqual([])
          await prune(storage, options)
          await expectWhole(storage)
          expect(ids(await store.history('main'))).toEqual(all.slice(4))
          const left = await keysOf(storage, 'pruned/')
          expect(left.filter((key) => !key.startsWith('pruned/tracks/')).length).toBe(remove ? 0 : 14)
          expect((await keysOf(storage, 'archive/')).length).toBe(4)
        },
        repeats({ few: 5, all: 1 }),
      )
      expect(cuts).toBeGreaterThan(50)
    })
})

describe('prune during other saves', () => {
  for (const remove of [false, true])
    it(`loses nothing (${remove ? 'delete' : 'move'})`, async () => {
      for (let round = 0; round < repeats({ few: 1, all: 10 }); round++) {
        const { storage, store, ids: all } = await filledStore()
        const options = { keepLast: 1 + (round % 3), delete: remove }
        const saving = Array.from({ length: 16 }, async (_, index) => {
          for (let waits = 0; waits < index * 3; waits++)
            await new Promise((resolve) => setImmediate(resolve))
          return await save(store, { day: 10 + index, log: `log ${index % 8}` })
        })
        const pruning = [prune(storage, options), prune(storage, options)]
        const saved = await Promise.all(saving)
        const pruned = (await Promise.all(pruning)).flatMap(({ moved, deleted }) =>
          ids([...moved, ...deleted]),
        )
        const listed = ids(await store.list())
        for (const { id } of saved) expect(listed.includes(id) || pruned.includes(id), id).toBe(true)
        for (const id of all) expect(listed.includes(id) || pruned.includes(id), id).toBe(true)
        for (const id of listed) {
          const { source } = await store.load(id)
          for await (const file of store.readArchive(source.sha256)) for await (const _ of file.blocks());
        }
        const { findings } = await verifyStore(storage, { repair: true })
        expect(findings.filter(({ level, repaired }) => level === 'fault' && !repaired)).toEqual([])
        const newest = saved
          .map(({ id }) => id)
          .sort()
          .at(-1)
        expect((await store.latest('main'))?.entry.id).toBe(newest)
      }
    })

  describe('while a bundle that is being pruned is saved again', () => {
    const policy = { keepLast: 3, delete: true }

    async function expectSaved(storage: Storage, id: string): Promise<void> {
      const store = bundleStore(storage)
      expect((await store.load(id)).id).toBe(id)
      expect(ids(await store.history('main'))).toContain(id)
      expect((await store.latest('main'))?.repaired).toBeUndefined()
      // It says that its log is archived, and only its JSON is saved again.
      expect(await verifyStore(storage)).toMatchObject({ checked: { notHere: 1 }, findings: [] })
    }

    it('loses nothing if it ends between the put that lost and the read of the existing bundle', async () => {
      const { storage, store, ids: all } = await filledStore()
      const first = await store.load(all[0] ?? '')
      const saver = hookedStorage(
        storage,
        once('get', `bundles/${first.id}.json`, () => prune(storage, policy)),
      )
      await bundleStore(saver).save(first)
      await expectSaved(storage, first.id)
    })

    it('loses nothing if it ends between that read and the put of its entry', async () => {
      const { storage, store, ids: all } = await filledStore()
      const first = await store.load(all[0] ?? '')
      const saver = hookedStorage(
        storage,
        once('put', `bundles/${first.id}.md`, () => prune(storage, policy)),
      )
      await bundleStore(saver).save(first)
      await expectSaved(storage, first.id)
    })

    it('loses nothing if the saver is killed after its commit', async () => {
      const { storage, store, ids: all } = await filledStore()
      const first = await store.load(all[0] ?? '')
      let looked = (): void => {}
      let release = (): void => {}
      const hasLooked = new Promise<void>((resolve) => (looked = resolve))
      const released = new Promise<void>((resolve) => (release = resolve))
      const saver = hookedStorage(
        storage,
        once('put', `bundles/${first.id}.md`, () => {
          looked()
          return released
        }),
        once('put', `tracks/main/${first.id}.json`, () => Promise.reject(new Error('killed'))),
      )
      let saving = Promise.resolve<unknown>(undefined)
      const pruner = hookedStorage(
        storage,
        once('delete', `bundles/${first.id}.json`, () => {
          saving = bundleStore(saver)
            .save(first)
            .catch((error: unknown) => error)
          return hasLooked
        }),
        once('delete', `tracks/main/${first.id}.json`, async () => {
          release()
          expect(await saving).toMatchObject({ message: 'killed' })
        }),
      )
      await prune(pruner, policy)
      expect((await store.load(first.id)).id).toBe(first.id)
      const { findings } = await verifyStore(storage, { repair: true })
      expect(findings.filter(({ repaired }) => !repaired)).toEqual([])
    })
  })
})
