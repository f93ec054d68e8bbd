import { describe, expect, it } from 'vitest'
import { checkpointStore } from '../../src/checkpoint/checkpoint-store.ts'
import { verifyCheckpoints } from '../../src/checkpoint/verify-checkpoints.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy/copy-store.ts'
import { prune } from '../../src/store/prune/prune.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts'
import { cutOffEverywhere } from '../support/cut-off-storage.ts'
import { day, filledStore, save } from '../support/filled-store.ts'
import { toNumberedLayout } from '../support/numbered-layout.ts'
import { keysOf } from '../support/stored.ts'

/** A store of an older version with two tracks, a pruned part and checkpoints; `now` says what it must hold. */
async function olderStore(): Promise<{ storage: Storage; held: Awaited<ReturnType<typeof heldBy>> }> {
  const { storage, store } = await filledStore()
  await save(store, { day: 7, track: 'review', kind: 'plan' })
  await prune(storage, { keepLast: 5, delete: true })
  await prune(storage, { keepLast: 4 })
  const checkpoints = checkpointStore(storage)
  await checkpoints.save(makeCheckpoint({ step: 'one' }))
  await checkpoints.save(makeCheckpoint({ track: 'side', step: 'beside' }), { setCurrent: false })
  await checkpoints.save(makeCheckpoint({ step: 'two' }))
  await checkpoints.save(makeCheckpoint({ track: 'side', step: 'beside too' }), { setCurrent: false })
  const held = await heldBy(storage)
  await toNumberedLayout(storage)
  return { storage, held }
}

/** Everything that a store shows. */
async function heldBy(storage: Storage) {
  const [store, checkpoints] = [bundleStore(storage), checkpointStore(storage)]
  return {
    tracks: await store.tracks(),
    list: await store.list(),
    newest: await store.list({ limit: 2 }),
    latest: (await store.latest('main'))?.bundle,
    review: (await store.latest('review'))?.bundle,
    checkpoints: await checkpoints.list(),
    current: (await checkpoints.latest())?.checkpoint,
    side: (await checkpoints.latest('side'))?.checkpoint,
  }
}

const numbered = async (storage: Storage): Promise<string[]> =>
  (await keysOf(storage)).filter((key) => /\/log\/\d{8}\.json$/.test(key))

describe('a store whose entries are numbered, as in earlier versions', () => {
  it('is read as what it is, and verified', async () => {
    const { storage, held } = await olderStore()
    expect(await numbered(storage)).toHaveLength(11)
    expect(await heldBy(storage)).toEqual(held)
    const { ok, findings } = await verifyStore(storage)
    expect({ ok, findings }).toEqual({ ok: true, findings: [] })
    expect((await verifyCheckpoints(storage)).findings).toEqual([])
    expect(await numbered(storage)).toHaveLength(11)
  })

  it('gets names of their own for the entries of a track with its first write', async () => {
    const { storage, held } = await olderStore()
    const before = await keysOf(storage)
    const bundle = await save(bundleStore(storage), { day: 9 })
    const checkpoint = makeCheckpoint({ step: 'three' })
    await checkpointStore(storage).save(checkpoint)
    // The other tracks and the pruned part are as they were.
    expect(await numbered(storage)).toEqual(
      before.filter((key) => /^(pruned|tracks\/review|checkpoints\/side)\/.*\/\d{8}\.json$/.test(key)),
    )
    const now = await heldBy(storage)
    expect(now.list.map(({ id }) => id)).toEqual([...held.list.map(({ id }) => id), bundle.id])
    expect(now).toMatchObject({ latest: bundle, review: held.review, current: checkpoint, side: held.side })
    expect((await verifyStore(storage)).findings).toEqual([])
    expect((await verifyCheckpoints(storage)).findings).toEqual([])
  })

  it('gets them all with a prune', async () => {
    const { storage } = await olderStore()
    const plan = await prune(storage, { keepLast: 2, delete: true })
    expect(plan.skipped).toEqual([])
    expect((await numbered(storage)).filter((key) => !key.startsWith('checkpoints/'))).toEqual([])
    expect(await bundleStore(storage).history('main')).toHaveLength(2)
    expect((await verifyStore(storage)).findings).toEqual([])
  })

  it('gives ids later than its newest, before and after', async () => {
    const { storage, held } = await olderStore()
    const time = await bundleStore(storage).nextTime('main', { now: day(2) })
    expect(time.getTime()).toBe(day(6).getTime() + 1)
    expect(await numbered(storage)).not.toContain('tracks/main/log/00000003.json')
    expect(await heldBy(storage)).toEqual(held)
  })

  it('can be copied, and copied again after a write', async () => {
    const { storage, held } = await olderStore()
    const to = memoryStorage()
    expect(await copyStore(storage, to)).toMatchObject({ conflicts: [], withoutBundle: [], missing: [] })
    expect(await heldBy(to)).toEqual(held)
    const { id } = await save(bundleStore(storage), { day: 9 })
    expect(await copyStore(storage, to)).toMatchObject({ conflicts: [], withoutBundle: [], missing: [] })
    const list = (await bundleStore(to).list()).map((entry) => entry.id)
    expect(list).toEqual([...held.list.map((entry) => entry.id), id])
  })

  it('loses nothing if the first write is cut off at any call', async () => {
    const bundle = sampleBundle({ id: '20260309T000000000Z-123456789' })
    let held: Awaited<ReturnType<typeof heldBy>> | undefined
    const cuts = await cutOffEverywhere(
      async () => {
        const older = await olderStore()
        held = older.held
        return older.storage
      },
      (storage) => bundleStore(storage).save(bundle),
      async (storage) => {
        const ids = (await bundleStore(storage).list()).map(({ id }) => id)
        const old = held?.list.map(({ id }) => id) ?? []
        expect([old, [...old, bundle.id]]).toContainEqual(ids)
        await bundleStore(storage).save(bundle)
        expect((await bundleStore(storage).list()).map(({ id }) => id)).toEqual([...old, bundle.id])
        expect((await verifyStore(storage)).findings.filter(({ level }) => level === 'fault')).toEqual([])
      },
    )
    expect(cuts).toBeGreaterThan(20)
  })

  it('shows a damaged entry as damaged, and keeps it', async () => {
    const { storage, held } = await olderStore()
    const key = 'tracks/main/log/00000006.json'
    await storage.put(key, new TextEncoder().encode('{'))
    const latest = await bundleStore(storage).latest('main')
    expect(latest?.bundle.id).toBe(held.list.filter(({ track }) => track === 'main').at(-2)?.id)
    expect(latest?.repaired).toContain(`${key} is damaged`)
    await save(bundleStore(storage), { day: 9 })
    expect(await numbered(storage)).toContain(key)
  })
})
