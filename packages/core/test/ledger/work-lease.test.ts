import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { compressOnce } from '../../src/compress-once.ts'
import { StorageError } from '../../src/errors.ts'
import { type HeldLease, type WorkLeaseOptions, withWorkLease } from '../../src/ledger/work-lease.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { copyStore } from '../../src/store/copy-store.ts'
import { leaseKey } from '../../src/store/keys.ts'
import { prune } from '../../src/store/prune/prune.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'
import { keysOf } from '../support/stored.ts'

const digest = 'd'.repeat(32)
const lease = (storage: Storage, options: WorkLeaseOptions, work: (held: HeldLease) => Promise<unknown>) =>
  withWorkLease(bundleStore(storage), digest, { ...options, leaseMs: options.leaseMs ?? 80 }, work)

/** Leaves the lease of a run that died. */
async function leaveLease(storage: Storage, { began, leaseMs, since }: Left = {}): Promise<void> {
  const dead = memoryStorage()
  await lease(dead, { leaseMs }, async () => {
    const { bytes } = (await dead.get(leaseKey(digest))) ?? {}
    const left = JSON.parse(new TextDecoder().decode(bytes))
    const owner = JSON.stringify({ ...JSON.parse(left.owner), ...(began === undefined ? {} : { began }) })
    await storage.put(
      leaseKey(digest),
      new TextEncoder().encode(JSON.stringify({ ...left, owner, since: since ?? left.since })),
    )
  })
}

interface Left {
  /** When the process began: another time than that of this one is that of an ended process. */
  readonly began?: string
  readonly leaseMs?: number
  readonly since?: string
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

    it.runIf(process.platform === 'linux')('is taken over at once if its process has ended', async () => {
      const storage = make()
      await leaveLease(storage, { began: '1', leaseMs: 600_000 })
      const options = { onWait: () => expect.unreachable() }
      expect(await lease(storage, options, async () => 'done')).toBe('done')
    })

    it('that was lost while the run stood still blocks its further requests, and makes it wait for the other run', async () => {
      const storage = make()
      const began: string[] = []
      let release = (): void => {}
      const other = new Promise<void>((resolve) => {
        release = resolve
      })
      const first = lease(storage, {}, async (held) => {
        began.push('first')
        if (began.length > 1) return 'first'
        await held.confirm()
        await storage.delete(leaseKey(digest))
        void lease(storage, {}, async () => {
          began.push('second')
          await other
        })
        while (began.length < 2) await sleep(1)
        // As if suspended: no beat came, and the time of the lease has passed.
        const until = performance.now() + 80
        while (performance.now() < until);
        await held.confirm()
        return expect.unreachable()
      })
      await sleep(300)
      expect(began).toEqual(['first', 'second'])
      release()
      expect(await first).toBe('first')
      expect(began).toEqual(['first', 'second', 'first'])
      expect(await keysOf(storage)).toEqual([])
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
    await leaveLease(storage, { leaseMs: 600_000 })
    const abort = new AbortController()
    const onWait = () => abort.abort(new Error('stop'))
    const options = { signal: abort.signal, onWait }
    await expect(lease(storage, options, async () => expect.unreachable())).rejects.toThrow('stop')
    expect(await keysOf(storage)).toEqual([leaseKey(digest)])
  })

  it('keeps others away for the time of its own run, not of theirs', async () => {
    const storage = memoryStorage()
    await leaveLease(storage, { leaseMs: 400 })
    const began = performance.now()
    await lease(storage, {}, async () => 'done')
    expect(performance.now() - began).toBeGreaterThan(390)
  })

  it('is put back if its run finds it deleted', async () => {
    const storage = memoryStorage()
    await lease(storage, {}, async (held) => {
      await storage.delete(leaseKey(digest))
      await sleep(100)
      await held.confirm()
      expect(await keysOf(storage)).toEqual([leaseKey(digest)])
    })
    expect(await keysOf(storage)).toEqual([])
  })

  it('is taken over after its time if it is damaged', async () => {
    const storage = memoryStorage()
    await storage.put(leaseKey(digest), new TextEncoder().encode('{'))
    expect(await lease(storage, {}, async () => 'done')).toBe('done')
  })

  it('of the next run is not released by one that lost its own', async () => {
    const storage = memoryStorage()
    await lease(storage, {}, () => leaveLease(storage))
    expect(await keysOf(storage)).toEqual([leaseKey(digest)])
  })

  it('is not part of a store: verify finds nothing, and no copy includes it', async () => {
    const storage = memoryStorage()
    await leaveLease(storage)
    expect((await verifyStore(storage)).findings).toEqual([])
    const target = memoryStorage()
    await copyStore(storage, target)
    expect(await keysOf(target)).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'of a run that has ended goes with the next prune, others stay',
    async () => {
      const storage = memoryStorage()
      await leaveLease(storage)
      await prune(storage, { keepLast: 1 })
      expect(await keysOf(storage)).toEqual([leaseKey(digest)])
      await leaveLease(storage, { began: '1' })
      await prune(storage, { keepLast: 1 })
      expect(await keysOf(storage)).toEqual([])
      await leaveLease(storage, { since: '2026-01-01T00:00:00.000Z' })
      await prune(storage, { keepLast: 1 })
      expect(await keysOf(storage)).toEqual([])
    },
  )

  it('returns work that was done before it was taken', async () => {
    const storage = memoryStorage()
    const messages = ['Please make the parser faster.', 'It reads each line once now.'].map(
      (content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }),
    )
    const store = bundleStore(storage)
    const done = await compressOnce({ parsed: { messages } }, { store, summarizer: fakeSummarizer() })
    if ('known' in done) throw new Error('nothing was done before')
    const key = (await keysOf(storage)).find((each) => each.startsWith('done/')) ?? ''
    const found = await withWorkLease(store, key.split('/')[1] ?? '', {}, async () => 'worked')
    expect(found).toMatchObject({ known: { id: done.bundle.id } })
  })
})
