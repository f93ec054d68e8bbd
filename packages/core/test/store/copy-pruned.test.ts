import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { type PruneOptions, prune } from '../../src/store/prune/prune.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { filledStore, save } from '../support/filled-store.ts'
import { keysOf } from '../support/stored.ts'

const move: PruneOptions = { keepLast: 3 }
const remove: PruneOptions = { keepLast: 2, delete: true }

async function expectCleanCopy(from: Storage, to: Storage): Promise<void> {
  expect(await copyStore(from, to)).toMatchObject({ conflicts: [], missing: [], withoutBundle: [] })
  expect((await verifyStore(to)).findings.filter(({ level }) => level === 'fault')).toEqual([])
}

describe('copyStore after a prune', () => {
  for (const [title, source, target] of [
    ['moved bundles away', [move], []],
    ['deleted bundles', [remove], []],
    ['moved bundles away and deleted them later', [move, remove], []],
    ['moved bundles that the target deleted', [move], [remove]],
    ['deleted bundles that the target deleted too', [move, remove], [remove]],
    ['deleted bundles that the target moves away and deletes later', [remove], [move, remove]],
    ['deleted bundles that the target deletes', [remove], [remove]],
  ] as const) {
    it(`has no conflicts if the source ${title}`, async () => {
      const { storage: from, store, ids } = await filledStore()
      const to = memoryStorage()
      await copyStore(from, to)
      for (const policy of source) {
        await prune(from, policy)
        await expectCleanCopy(from, to)
      }
      for (const policy of target) {
        expect(await prune(to, { ...policy, now: new Date(0) })).toMatchObject({ skipped: [] })
        if ('delete' in policy) expect(await keysOf(to, 'pruned/bundles/')).toEqual([])
        else for (const id of ids) expect((await bundleStore(to).load(id)).id).toBe(id)
        await expectCleanCopy(from, to)
      }
      const { id } = await save(store, { day: 9, log: 'new' })
      await expectCleanCopy(from, to)
      expect((await bundleStore(to).latest('main'))?.bundle.id).toBe(id)
    })
  }

  it('still reports a pruned entry of another bundle', async () => {
    const { storage: from, ids } = await filledStore()
    const to = memoryStorage()
    await prune(from, move)
    const key = `pruned/tracks/main/${ids[0]}.json`
    const other = await from.get(`pruned/tracks/main/${ids[1]}.json`)
    await to.put(key, other?.bytes ?? new Uint8Array())
    expect((await copyStore(from, to)).conflicts).toEqual([key])
  })
})
