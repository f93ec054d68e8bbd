import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { day, filledStore, save } from '../support/filled-store.ts'

const ids = (entries: readonly { readonly id: string }[]): string[] => entries.map(({ id }) => id)

describe('list', () => {
  it('filters by time, from one time and before another', async () => {
    const { store, ids: all } = await filledStore()
    const list = async (filter: object): Promise<string[]> => ids(await store.list(filter))
    expect(await list({ since: day(3) })).toEqual(all.slice(2))
    expect(await list({ until: day(3) })).toEqual(all.slice(0, 2))
    expect(await list({ since: day(2), until: day(5) })).toEqual(all.slice(1, 4))
    expect(await list({ since: day(2), until: day(5), limit: 2 })).toEqual(all.slice(2, 4))
    expect(await list({ since: day(9) })).toEqual([])
  })

  it('returns the newest ones, of one track or of all, oldest first', async () => {
    const store = bundleStore(memoryStorage())
    const all: string[] = []
    for (let date = 1; date <= 9; date++)
      all.push((await save(store, { day: date, track: date % 3 === 0 ? 'b' : 'a' })).id)
    const list = async (filter: object): Promise<string[]> => ids(await store.list(filter))
    expect(await list({ limit: 4 })).toEqual(all.slice(5))
    expect(await list({ limit: 99 })).toEqual(all)
    expect(await list({ limit: 2, track: 'b' })).toEqual([all[5], all[8]])
    expect(await list({ limit: 3, track: 'none' })).toEqual([])
  })

  it('reads no more history than it needs for a limit', async () => {
    const storage = memoryStorage()
    for (let index = 0; index < 40; index++)
      await save(bundleStore(storage), { day: 1 + (index % 20), kind: index < 10 ? 'plan' : 'context' })
    let reads = 0
    const counting: Storage = {
      ...storage,
      async get(key) {
        reads += 1
        return await storage.get(key)
      },
    }
    const readsOf = async (filter: object): Promise<number> => {
      reads = 0
      await bundleStore(counting).list(filter)
      return reads
    }
    expect(await readsOf({ track: 'main', limit: 3 })).toBe(3)
    expect(await readsOf({ limit: 3 })).toBe(3)
    expect(await readsOf({ track: 'main' })).toBe(40)
    // The matches are further back.
    expect(await readsOf({ track: 'main', limit: 3, kind: 'plan' })).toBe(40)
    expect(await bundleStore(counting).list({ limit: 3, kind: 'plan' })).toHaveLength(3)
  })

  describe('of a long history', () => {
    const key = 'archive/history.index'
    async function longStore() {
      const storage = memoryStorage()
      const reads: string[] = []
      const counting: Storage = {
        ...storage,
        async get(of) {
          reads.push(of)
          return await storage.get(of)
        },
      }
      const store = bundleStore(counting, { onDamaged: () => {} })
      const all: string[] = []
      for (let index = 0; index < 80; index++) all.push((await save(store, { day: 1 + (index % 20) })).id)
      const readsOf = async (): Promise<number> => {
        reads.length = 0
        expect(ids(await store.list())).toEqual(all.toSorted())
        return reads.length
      }
      return { storage, store, all, readsOf }
    }

    it('reads one copy of all entries, and the few that it lacks', async () => {
      const { store, all, readsOf } = await longStore()
      expect(await readsOf()).toBe(81)
      expect(await readsOf()).toBe(1)
      all.push((await save(store, { day: 21 })).id)
      expect(await readsOf()).toBe(2)
    })

    it('ignores the copy if it is damaged or of another version', async () => {
      const { storage, readsOf } = await longStore()
      await readsOf()
      const written = Buffer.from((await storage.get(key))?.bytes ?? []).toString()
      for (const wrong of [
        written.slice(0, 900),
        written.replace('history 2', 'history 1'),
        '{"version":1,"entries":[]}',
        written.replaceAll('"sessionId":"', '"sessionId":"1'),
      ]) {
        expect(wrong).not.toBe(written)
        await storage.put(key, Buffer.from(wrong))
        expect(await readsOf()).toBe(81)
      }
    })

    it('lists nothing that was deleted', async () => {
      const { storage, store, all, readsOf } = await longStore()
      await readsOf()
      await storage.delete(`tracks/main/${all.toSorted()[0]}.json`)
      expect(ids(await store.list())).toEqual(all.toSorted().slice(1))
    })

    it('needs no copy in a store that cannot be written to', async () => {
      const { storage, all } = await longStore()
      const put = () => Promise.reject(new StorageError(key, 'read-only'))
      expect(ids(await bundleStore({ ...storage, put }).list())).toEqual(all.toSorted())
    })
  })
})
