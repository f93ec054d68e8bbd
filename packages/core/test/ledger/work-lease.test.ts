import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { compressOnce } from '../../src/compress-once.ts'
import { StorageError } from '../../src/errors.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { type WorkLeaseOptions, withWorkLease } from '../../src/ledger/work-lease.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy/copy-store.ts'
import { leaseKey } from '../../src/store/ledger-keys.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'
import { keysOf } from '../support/stored.ts'

const digest = 'd'.repeat(32)
const lease = (storage: Storage, options: WorkLeaseOptions, work: () => Promise<unknown>) =>
  withWorkLease(bundleStore(storage), digest, { leaseMs: 80, ...options }, work)

/** Leaves the lease of a run that died. */
async function leaveLease(storage: Storage, owner?: string): Promise<void> {
  const dead = memoryStorage()
  await lease(dead, { owner }, async () => {
    const { bytes } = (await dead.get(leaseKey(digest))) ?? {}
    await storage.put(leaseKey(digest), bytes ?? new Uint8Array())
  })
}

/** Like a store that has no If-Match. */
const withoutMatch = (storage: Storage): Storage => ({
  ...storage,
  async put(key, bytes, condition) {
    if (condition?.ifMatch !== undefined) throw new StorageError(key, 'no If-Match')
    return await storage.put(key, bytes, condition)
  },
})

for (const [name, make] of [
  ['a store', memoryStorage],
  ['a store without If-Match', () => withoutMatch(memoryStorage())],
] as const)
  describe(`a lease in ${name}`, () => {
    it('lets one run work at a time, however long it takes', async () => {
      const storage = make()
      let atWork = 0
      let most = 0
      const work = async (): Promise<void> => {
        most = Math.max(most, ++atWork)
        await sleep(300)
        atWork -= 1
      }
      await Promise.all([1, 2, 3].map(() => lease(storage, {}, work)))
      expect(most).toBe(1)
      expect(await keysOf(storage)).toEqual([])
    })

    it('is taken over after its time if the run died', async () => {
      const storage = make()
      await leaveLease(storage)
      const began = performance.now()
      let waited = 0
      expect(await lease(storage, { onWait: () => (waited += 1) }, async () => 'done')).toBe('done')
      expect(performance.now() - began).toBeGreaterThan(75)
      expect(waited).toBe(1)
      expect(await keysOf(storage)).toEqual([])
    })

    it('is taken over at once if its process is known to have ended', async () => {
      const storage = make()
      await leaveLease(storage, 'process 1')
      const options = { leaseMs: 600_000, onWait: () => expect.unreachable() }
      const hasEnded = (owner: string) => owner === 'process 1'
      expect(await lease(storage, { ...options, hasEnded }, async () => 'done')).toBe('done')
    })
  })

describe('a lease', () => {
  it('is given back after a failure', async () => {
    const storage = memoryStorage()
    await expect(lease(storage, {}, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await keysOf(storage)).toEqual([])
  })

  it('of others stays if the wait is aborted', async () => {
    const storage = memoryStorage()
    await leaveLease(storage)
    const abort = new AbortController()
    const onWait = () => abort.abort(new Error('stop'))
    const options = { leaseMs: 600_000, signal: abort.signal, onWait }
    await expect(lease(storage, options, async () => expect.unreachable())).rejects.toThrow('stop')
    expect(await keysOf(storage)).toEqual([leaseKey(digest)])
  })

  it('that is damaged is taken over after its time', async () => {
    const storage = memoryStorage()
    await storage.put(leaseKey(digest), new TextEncoder().encode('{'))
    expect(await lease(storage, {}, async () => 'done')).toBe('done')
  })

  it('of the next run is not given back by one that lost its own', async () => {
    const storage = memoryStorage()
    await lease(storage, {}, () => leaveLease(storage))
    expect(await keysOf(storage)).toEqual([leaseKey(digest)])
  })

  it('is no part of a store: verify finds nothing, and no copy takes it', async () => {
    const storage = memoryStorage()
    await leaveLease(storage)
    expect((await verifyStore(storage)).findings).toEqual([])
    const target = memoryStorage()
    await copyStore(storage, target)
    expect(await keysOf(target)).toEqual([])
  })

  it('returns what was done before it was taken, except what does not count', async () => {
    const storage = memoryStorage()
    const messages = ['Please make the parser faster.', 'It reads each line once now.'].map(
      (content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }),
    )
    const store = bundleStore(storage)
    const done = await compressOnce({ parsed: { messages } }, { store, summarizer: fakeSummarizer() })
    if ('known' in done) throw new Error('nothing was done before')
    const key = (await keysOf(storage)).find((each) => each.startsWith('done/')) ?? ''
    const found = async (except?: ReadonlySet<string>) =>
      await withWorkLease(store, key.split('/')[1] ?? '', { except }, async () => 'worked')
    const known = { known: { id: done.bundle.id } }
    expect(await found()).toMatchObject(known)
    expect(await found(new Set(['another']))).toMatchObject(known)
    expect(await found(await openLedger(store).doneIds())).toBe('worked')
  })
})
