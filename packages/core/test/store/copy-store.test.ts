import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { prune } from '../../src/store/prune/prune.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'
import { cutOffStorage } from '../support/cut-off-storage.ts'
import { contentOf, filledStore, save } from '../support/filled-store.ts'
import { keysOf } from '../support/stored.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A store with two tracks, a pruned part with a tombstone, a checkpoint and a batch job. */
async function richStore(): Promise<Storage> {
  const { storage, store } = await filledStore()
  await prune(storage, { keepLast: 5, delete: true })
  await prune(storage, { keepLast: 3 })
  await save(store, { day: 7, track: 'review', kind: 'plan', log: 'of the review' })
  await checkpointStore(storage).save(makeCheckpoint({ track: 'review' }))
  await storage.put('batches/job-1/job.json', bytes('{}'))
  return storage
}

async function expectSame(from: Storage, to: Storage): Promise<void> {
  // LATEST of checkpoints is there again once one is read.
  await checkpointStore(to).latest('review')
  expect(await contentOf(to)).toEqual(await contentOf(from))
  expect((await verifyStore(to)).findings).toEqual([])
}

describe('copyStore', () => {
  it('copies a whole store, and the copy is identical and passes verify', async () => {
    const [from, to] = [await richStore(), memoryStorage()]
    const progress: number[] = []
    const result = await copyStore(from, to, { report: ({ done }) => progress.push(done) })
    const size = (await keysOf(from)).length
    expect(result).toEqual({
      // LATEST is not copied, but made again: of two tracks, and of checkpoints.
      copied: size - 6,
      bytes: expect.any(Number),
      existing: 0,
      conflicts: [],
      withoutBundle: [],
      missing: [],
      tracks: 2,
    })
    expect(progress).toEqual(Array.from({ length: size - 6 }, (_, index) => index + 1))
    await expectSame(from, to)
    expect((await bundleStore(to).latest('main'))?.repaired).toBeUndefined()
    expect(await bundleStore(to).history('main')).toEqual(await bundleStore(from).history('main'))
    const next = await save(bundleStore(to), { day: 9 })
    expect((await bundleStore(to).latest('main'))?.entry).toMatchObject({ id: next.id })
  })

  it('commits bundles after their archives, and entries after their bundles', async () => {
    const [from, memory] = [await richStore(), memoryStorage()]
    const order: string[] = []
    const to: Storage = {
      ...memory,
      async put(key, value, condition) {
        order.push(key)
        return await memory.put(key, value, condition)
      },
    }
    await copyStore(from, to)
    const kind = (key: string): number =>
      /LATEST\.(json|md)$/.test(key)
        ? 4
        : /(^|\/)tracks\/|\/log\//.test(key)
          ? 3
          : key.includes('bundles/')
            ? 2
            : 1
    const kinds = order.map(kind)
    expect(kinds).toEqual(kinds.toSorted())
    expect(new Set(kinds).size).toBe(4)
  })

  it('writes nothing the second time, except a LATEST that moved', async () => {
    const [from, memory] = [await richStore(), memoryStorage()]
    await copyStore(from, memory)
    let written: string[] = []
    const to: Storage = {
      ...memory,
      async put(key, value, condition) {
        written.push(key)
        return await memory.put(key, value, condition)
      },
    }
    const again = await copyStore(from, to)
    expect(again).toMatchObject({ copied: 0, bytes: 0, conflicts: [] })
    expect(written.filter((key) => !key.endsWith('LATEST.md'))).toEqual([])
    written = []
    const { id } = await save(bundleStore(from), { day: 9 })
    const checkpoint = await checkpointStore(from).save(makeCheckpoint({ track: 'review' }))
    expect(await copyStore(from, to)).toMatchObject({ copied: 6, conflicts: [] })
    expect((await checkpointStore(memory).latest('review'))?.checkpoint.id).toBe(checkpoint.id)
    expect((await bundleStore(memory).latest('main'))?.bundle.id).toBe(id)
    expect((await verifyStore(memory)).findings).toEqual([])
  })

  it('continues where it was cut off, at any call of either store', async () => {
    for (const side of ['from', 'to'] as const) {
      const from = await richStore()
      let cuts = 0
      for (let calls = 0; ; calls += repeats({ few: 4, all: 1 })) {
        const to = memoryStorage()
        const cut = { from, to, [side]: cutOffStorage({ from, to }[side], calls) }
        const ended = await copyStore(cut.from, cut.to).then(
          () => true,
          () => false,
        )
        // Everything that is committed in the target is complete.
        for (const entry of await bundleStore(to).list()) await bundleStore(to).load(entry.id)
        expect(await copyStore(from, to)).toMatchObject({ conflicts: [], missing: [], withoutBundle: [] })
        await expectSame(from, to)
        if (ended) break
        cuts += 1
      }
      expect(cuts).toBeGreaterThan(8)
    }
  })

  it('reports what differs in the target, and overwrites none of it', async () => {
    const [from, to] = [await richStore(), memoryStorage()]
    // The target was used before: it has bundles of its own, and one bundle has other bytes.
    for (let date = 1; date <= 5; date++) await save(bundleStore(to), { day: 20 })
    const own = await bundleStore(to).history('main')
    const [, , last] = await bundleStore(from).history('main')
    await to.put(`bundles/${last?.id}.json`, bytes('{}'))
    const before = await contentOf(to)
    const result = await copyStore(from, to)
    expect(result.conflicts).toEqual([`bundles/${last?.id}.json`])
    expect(result.withoutBundle).toEqual([`tracks/main/${last?.id}.json`])
    for (const [key, text] of before) expect((await contentOf(to)).get(key), key).toBe(text)
    expect((await bundleStore(to).latest('main'))?.entry).toEqual(own.at(-1))
    expect(await bundleStore(to).history('main')).toHaveLength(7)
  })

  it('copies the requested tracks, with their archives and checkpoints, or leaves archives out', async () => {
    const from = await richStore()
    const review = memoryStorage()
    await copyStore(from, review, { tracks: ['review'] })
    expect(await bundleStore(review).tracks()).toEqual(['review'])
    expect((await keysOf(review)).map((key) => key.split('/')[0])).toEqual([
      'archive',
      'archive',
      'bundles',
      'bundles',
      // A checkpoint, its Markdown and its entry.
      ...Array.from({ length: 3 }, () => 'checkpoints'),
      'tracks',
      'tracks',
      'tracks',
    ])
    expect((await verifyStore(review)).findings).toEqual([])
    const main = memoryStorage()
    await copyStore(from, main, { tracks: ['main'] })
    expect((await keysOf(main)).some((key) => key.startsWith('pruned/archive/'))).toBe(true)
    expect((await verifyStore(main)).findings).toEqual([])
    const light = memoryStorage()
    await copyStore(from, light, { archives: false })
    expect((await keysOf(light)).filter((key) => key.includes('archive/'))).toEqual([])
    expect((await bundleStore(light).history('main')).length).toBe(3)
  })

  it('takes the ledger along, last, and that of the requested tracks alone', async () => {
    const from = memoryStorage()
    const store = bundleStore(from)
    const one = await save(store, { day: 1 })
    const two = await save(store, { day: 2, track: 'review', kind: 'plan' })
    const three = await save(store, { day: 3, track: 'review', kind: 'plan' })
    const [digest, started] = ['d', 'e'].map((letter) => letter.repeat(32))
    const entry = (id: string, fields: object) =>
      from.put(`done/${digest}/${id}.json`, bytes(JSON.stringify(fields)))
    await entry(one.id, { track: 'main' })
    await entry(two.id, { track: 'review' })
    // A session that left nothing to remember has no bundle.
    await entry('20260101T000000000Z-000000009', { track: 'review', stored: false })
    await entry('20260101T000000000Z-000000008', { track: 'main', stored: false })
    await from.put(`done/${started}/${three.id}.started.json`, bytes('{}'))
    const review = memoryStorage()
    await copyStore(from, review, { tracks: ['review'] })
    expect((await keysOf(review)).filter((key) => key.startsWith('done/'))).toEqual([
      `done/${digest}/20260101T000000000Z-000000009.json`,
      `done/${digest}/${two.id}.json`,
    ])
    const whole = memoryStorage()
    const order: string[] = []
    await copyStore(from, {
      ...whole,
      put: async (key, content, options) => {
        order.push(key)
        return await whole.put(key, content, options)
      },
    })
    const copied = order.filter((key) => !key.includes('LATEST'))
    const last = copied.filter((key) => key.startsWith('done/'))
    expect(last).toHaveLength(5)
    expect(copied.slice(-5)).toEqual(last)
    // A bundle that differs in the target is not the work that the ledger means.
    const other = memoryStorage()
    await other.put(`bundles/${one.id}.json`, bytes('{}'))
    const { conflicts, withoutBundle } = await copyStore(from, other)
    expect(conflicts).toEqual([`bundles/${one.id}.json`])
    expect(withoutBundle).toContain(`done/${digest}/${one.id}.json`)
    expect(withoutBundle).not.toContain(`done/${digest}/${two.id}.json`)
  })

  it('treats a file that another version packed differently as equal, but not a damaged one', async () => {
    const [from, to] = [await richStore(), memoryStorage()]
    const [key = ''] = (await keysOf(from, 'archive/')).filter((name) => name.endsWith('.br'))
    const { brotliCompressSync, brotliDecompressSync, constants } = await import('node:zlib')
    const raw = brotliDecompressSync((await from.get(key))?.bytes ?? bytes(''))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 0 }
    await to.put(key, brotliCompressSync(raw, { params }))
    expect((await copyStore(from, to)).conflicts).toEqual([])
    await to.put(key, bytes('junk'))
    expect((await copyStore(from, to)).conflicts).toEqual([key])
  })

  it('stops at a signal', async () => {
    const [from, to] = [await richStore(), memoryStorage()]
    const controller = new AbortController()
    const report = ({ done }: { readonly done: number }): void => {
      if (done === 5) controller.abort(new Error('stop'))
    }
    await expect(copyStore(from, to, { report, signal: controller.signal })).rejects.toThrow('stop')
    expect((await keysOf(to)).length).toBeLessThan(20)
    await copyStore(from, to)
    await expectSame(from, to)
  })

  it('makes a consistent copy while others save and prune', async () => {
    for (let round = 0; round < repeats({ few: 2, all: 10 }); round++) {
      const { storage: from, store } = await filledStore()
      const to = memoryStorage()
      const saves = Array.from({ length: 8 }, (_, index) =>
        save(store, { day: 10 + index, log: `new ${index}` }),
      )
      await Promise.all([copyStore(from, to), prune(from, { keepLast: 2 }), ...saves])
      for (const entry of await bundleStore(to).list()) await bundleStore(to).load(entry.id)
      await copyStore(from, to)
      expect((await verifyStore(to)).findings.filter(({ level }) => level === 'fault')).toEqual([])
      expect((await bundleStore(to).latest('main'))?.bundle.id).toBe((await store.latest('main'))?.bundle.id)
    }
  })
})
