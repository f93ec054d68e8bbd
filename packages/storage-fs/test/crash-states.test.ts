import { type Storage, StorageConflictError } from '@tenfold/core'
import type { StagedBytes } from '@tenfold/core/storage'
import { describe, expect, it } from 'vitest'
import { everyPoint, repeats } from '../../../test/support/repeats.ts'
import { createFileStorage } from '../src/file-storage.ts'
import { type CrashRun, recordCrashes, recoveringStorage, root, violationsOf } from './support/crash-run.ts'
import { killableDisk } from './support/kill-after.ts'
import { type Known, knownStore, nothingKnown } from './support/known-store.ts'
import type { DiskImage } from './support/memory-disk.ts'

type Run = (open: () => Storage, known: Known) => Promise<void>

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const empty: DiskImage = { folders: ['/srv'], files: new Map() }

/** Everything that a store does, one step after the other. */
const inTurn: Run = async (open, known) => {
  const store = knownStore(open(), known)
  await store.save(1)
  await store.checkpoint(2)
  await store.archive('a log\n')
  await store.save(3)
  await store.save(4, 'side')
  await store.checkpoint(5, 'side')
  await store.archive('a log\nthat grew\n')
}

const twoSaves: Run = async (open, known) => {
  const store = knownStore(open(), known)
  await store.save(1)
  await store.save(2)
}

/** Writers of one track that do not know each other, as processes do not. */
function atOnce(writers: number): Run {
  return async (open, known) => {
    await knownStore(open(), known).save(1)
    const stores = Array.from({ length: writers }, () => knownStore(open(), known))
    await Promise.all(
      stores.map(async (store, index) => {
        await store.save(10 + index)
        await store.save(20 + index)
      }),
    )
  }
}

const mixed: Run = async (open, known) => {
  await knownStore(open(), known).save(1)
  await Promise.all([
    knownStore(open(), known).save(2),
    knownStore(open(), known).checkpoint(3),
    knownStore(open(), known).checkpoint(4),
    knownStore(open(), known).archive('a log\n'),
    knownStore(open(), known).archive('a log\n'),
  ])
}

/** Neighbours differ in little: `npm test` recovers from each n-th state, `npm run soak` from all. */
function sampleOf(recorded: CrashRun, nth: number): CrashRun {
  return { ...recorded, states: recorded.states.filter((_, index) => everyPoint || index % nth === 0) }
}

describe('a store after a crash at any moment, in any state of unsynced data', () => {
  for (const [name, run, least] of [
    ['saves, checkpoints and archives in turn', inTurn, 1_000],
    ['2 writers at once', atOnce(2), 1_500],
    ...(everyPoint ? [['3 writers at once', atOnce(3), 2_000] as const] : []),
    ['saves, checkpoints and the same archive at once', mixed, 2_000],
  ] as const) {
    it(`is healthy: LATEST is whole, nothing acknowledged is lost, the next save works (${name})`, async () => {
      const recorded = await recordCrashes(run)
      expect(await violationsOf(sampleOf(recorded, 20))).toEqual([])
      expect(recorded.raw).toBeGreaterThan(least)
    })
  }

  it('is healthy without hard links too', async () => {
    const recorded = await recordCrashes(twoSaves, { noLinks: true })
    expect(await violationsOf(sampleOf(recorded, 4))).toEqual([])
    expect(recorded.raw).toBeGreaterThan(300)
  })
})

describe('the checker catches a fault of an adapter or a store', () => {
  it('that does not sync files', async () => {
    const violations = await violationsOf(
      sampleOf(await recordCrashes(twoSaves, { ignoreFileSync: true, limit: 8 }), 4),
    )
    expect(violations.join('\n')).toMatch(/values: .* was never put so/)
  })

  it('that does not sync folders', async () => {
    const violations = await violationsOf(
      sampleOf(await recordCrashes(twoSaves, { ignoreFolderSync: true, limit: 32 }), 4),
    )
    expect(violations.join('\n')).toMatch(/lost bundle/)
  })

  it('that writes the entry before the bundle', async () => {
    // Holds bundles back until their entry is put.
    const wrap = (storage: Storage): Storage => {
      const held: [string, Uint8Array][] = []
      return {
        ...storage,
        async put(key, bytes, condition) {
          if (key.startsWith('bundles/')) held.push([key, bytes])
          else await storage.put(key, bytes, condition)
          if (/^tracks\/main\/\d/.test(key)) for (const put of held.splice(0)) await storage.put(...put)
          return { etag: '' }
        },
      }
    }
    const violations = await violationsOf(sampleOf(await recordCrashes(twoSaves, { wrap }), 4))
    expect(violations.join('\n')).toMatch(/bundles: .*holds no bundle/)
  })

  it('that returns from a save before its history entry exists', async () => {
    // Holds an entry back until the next put.
    const wrap = (storage: Storage): Storage => {
      let held = async (): Promise<unknown> => undefined
      return {
        ...storage,
        async put(key, bytes, condition) {
          await held()
          held = async () => undefined
          const put = () => storage.put(key, bytes, condition)
          if (!/^tracks\/main\/\d/.test(key)) return await put()
          held = put
          return { etag: '' }
        },
      }
    }
    const violations = await violationsOf(sampleOf(await recordCrashes(twoSaves, { wrap }), 4))
    expect(violations.length).toBeGreaterThan(0)
  })
})

describe('puts and deletes in turn', () => {
  const steps: readonly (readonly [
    string,
    (storage: Storage) => Promise<unknown>,
    Record<string, string>,
  ])[] = [
    ['put', (s) => s.put('a/1', text('one')), { 'a/1': 'one' }],
    ['over', (s) => s.put('a/1', text('one, again')), { 'a/1': 'one, again' }],
    [
      'ifAbsent',
      (s) => s.put('a/b/2', text('two'), { ifAbsent: true }),
      { 'a/1': 'one, again', 'a/b/2': 'two' },
    ],
    [
      'ifMatch',
      async (s) => await s.put('a/b/2', text('2'), { ifMatch: (await s.get('a/b/2'))?.etag ?? '' }),
      { 'a/1': 'one, again', 'a/b/2': '2' },
    ],
    ['delete', (s) => s.delete('a/1'), { 'a/b/2': '2' }],
    ['put', (s) => s.put('a/1', text('back'), { ifAbsent: true }), { 'a/1': 'back', 'a/b/2': '2' }],
    [
      'staged',
      async (s) => await (await stagedIn(s)).put('c/d/3', { ifAbsent: true }),
      { 'a/1': 'back', 'a/b/2': '2', 'c/d/3': 'three' },
    ],
    [
      'staged over',
      async (s) => await (await stagedIn(s)).put('c/1'),
      { 'a/1': 'back', 'a/b/2': '2', 'c/1': 'three', 'c/d/3': 'three' },
    ],
  ]

  async function stagedIn(storage: Storage): Promise<StagedBytes> {
    const staged = await storage.stage?.('c/')
    if (staged === undefined) throw new Error('it stages nothing')
    for (const piece of ['th', 're', 'e']) await staged.write(text(piece))
    return staged
  }

  it.each([
    ['', {}],
    [', without hard links', { noLinks: true }],
  ])('leave the state of the last one that returned, or of the one after it%s', async (_, options) => {
    const recorded = await recordCrashes(async (open, known) => {
      const storage = open()
      for (const [key, run] of steps) {
        await run(storage)
        known.acknowledged.push({ kind: 'put', key })
      }
    }, options)
    const after = [{}, ...steps.map(([, , contents]) => contents)]
    const violations = await violationsOf(recorded, async (storage, _, returned) => {
      const found: Record<string, string> = {}
      for await (const { key } of storage.list(''))
        found[key] = new TextDecoder().decode((await storage.get(key))?.bytes)
      const allowed = after.slice(returned, returned + 2).map((contents) => JSON.stringify(contents))
      const is = JSON.stringify(found)
      return allowed.includes(is) ? [] : [`${is} instead of ${allowed.join(' or ')}`]
    })
    expect(violations).toEqual([])
    expect(recorded.raw).toBeGreaterThan(100)
  })
})

describe('a writer that is killed before it has synced', () => {
  it("leaves a key that is durable once another writer's ifAbsent has met it", async () => {
    let met = 0
    for (let n = 1, survived = false; !survived; n++) {
      const { disk, mortal, survives } = killableDisk(n, { image: empty })
      survived = await survives(createFileStorage(root, mortal).put('a/key', text('x'), { ifAbsent: true }))
      try {
        await createFileStorage(root, disk.fs).put('a/key', text('x'), { ifAbsent: true })
      } catch (error) {
        if (!(error instanceof StorageConflictError)) throw error
        met += 1
      }
      for (const image of disk.crashStates(repeats({ few: 16, all: 4_096 })).images)
        expect((await recoveringStorage(image).get('a/key'))?.bytes, `killed after change ${n}`).toEqual(
          text('x'),
        )
    }
    expect(met).toBeGreaterThan(2)
  })

  it('leaves a folder, even the root, that is durable once another writer has put into it', async () => {
    for (let n = 1, survived = false; !survived; n++) {
      const { disk, mortal, survives } = killableDisk(n, { image: empty })
      survived = await survives(createFileStorage(root, mortal).put('a/b/1', text('1')))
      const lockTimes = { staleAfter: 1 }
      await createFileStorage(root, disk.fs, { lockTimes }).put('a/b/2', text('2'))
      for (const image of disk.crashStates(repeats({ few: 16, all: 4_096 })).images)
        expect((await recoveringStorage(image).get('a/b/2'))?.bytes, `killed after change ${n}`).toEqual(
          text('2'),
        )
    }
  })

  for (const kind of ['save', 'checkpoint', 'archive'] as const) {
    it(`loses no ${kind} that another process repeats`, async () => {
      const violations = new Set<string>()
      for (let n = 1, survived = false; !survived; n++) {
        const { disk, mortal, survives } = killableDisk(n, { image: empty })
        const known = nothingKnown()
        const run = async (storage: Storage): Promise<void> => {
          const store = knownStore(storage, known)
          await (kind === 'archive' ? store.archive('a log\n') : store[kind](1))
        }
        survived = await survives(run(createFileStorage(root, mortal)))
        await run(createFileStorage(root, disk.fs, { lockTimes: { staleAfter: 1 } }))
        const call = `change ${n} of the one who was killed`
        const states = disk
          .crashStates(repeats({ few: 16, all: 64 }))
          .images.map((image) => ({ image, returned: 1, call }))
        for (const fault of await violationsOf({ states, known })) violations.add(fault)
      }
      expect([...violations]).toEqual([])
    })
  }
})
