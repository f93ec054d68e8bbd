import { memoryStorage, type Storage } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import type { StandIn } from '../../../../test/stand-in/index.ts'
import { everyPoint, repeats } from '../../../../test/support/repeats.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { keysOf } from '../../../core/test/support/stored.ts'
import { collectBatch, listBatches, submitBatch } from '../../src/batch/index.ts'
import { type CrashPoint, crashAt } from './support/crash.ts'
import { bench, billedTimes } from './support/jobs.ts'
import { providerOf, type Vendor, vendors } from './support/providers.ts'
import { batchSession } from './support/sessions.ts'

const standIn = testStandIn('each', { batchPolls: 0 })

const sessions = () => [batchSession('one', 2), batchSession('two', 10)]

/** One process that submits two batches if there is no job yet, and collects until everything is done. */
async function live(vendor: Vendor, storage: Storage, crash: CrashPoint): Promise<void> {
  const { options: usual } = bench(crash.storage(storage))
  const options = { ...usual, limits: { ...usual.limits, maxRequests: 2 } }
  const provider = await providerOf(vendor, standIn, { fetch: crash.fetch })
  // A batch whose submission got no answer is known when it has ended.
  const report = ({ step }: { readonly step: string }) => {
    if (step === 'unconfirmed') standIn.endBatches()
  }
  const known = (await listBatches(storage)).map(({ job }) => job)
  const job = known[0] ?? (await submitBatch({ ...options, report, provider, sessions: sessions() })).job
  await collectBatch(job, { ...options, report, provider, wait: true, pollMs: 1 })
}

/** Lives through processes that end at the points given, then one that does not. Returns the points of the first. */
async function survive(
  vendor: Vendor,
  points: readonly number[],
): Promise<{ reached: number; storage: Storage }> {
  const storage = memoryStorage()
  let reached = 0
  for (const [index, point] of points.entries()) {
    const crash = crashAt(point)
    const error = await live(vendor, storage, crash).catch((thrown: unknown) => thrown)
    if (index === 0) reached = crash.reached()
    if (!crash.crashed()) expect(error).toBeUndefined()
    // The lease of a dead process expires.
    for (const key of await keysOf(storage, 'batches/'))
      if (key.endsWith('lease.json')) await storage.delete(key)
  }
  await live(vendor, storage, crashAt(Number.POSITIVE_INFINITY))
  return { reached, storage }
}

async function expectOnce(storage: Storage, billed: readonly number[]): Promise<void> {
  const [job, ...others] = (await listBatches(storage)).map((status) => status.job)
  expect(others).toEqual([])
  expect([...billedTimes(standIn, job ?? '').values()].sort()).toEqual(billed)
  const { store } = bench(storage)
  expect((await store.list()).map(({ sessionId }) => sessionId).sort()).toEqual([
    'session-one',
    'session-two',
  ])
  expect((await keysOf(storage, 'bundles/')).filter((key) => key.endsWith('.json'))).toHaveLength(2)
}

const cases: { name: string; billed: number[]; rows: StandIn['batchRow'] }[] = [
  { name: 'all rows succeed', billed: [1, 1, 1], rows: undefined },
  {
    name: 'a row expires, one is missing, one is no summary',
    billed: [1, 1, 2],
    rows: (customId) => {
      const [nonce, attempt, session, first, last] = customId.split('_')
      const asked = standIn.batches
        .flatMap(({ customIds }) => customIds)
        .filter((id) => {
          const [job, n, ...rest] = id.split('_')
          return job === nonce && Number(n) < Number(attempt) && rest.join() === [session, first, last].join()
        })
      if (asked.length > 0) return 'succeeded'
      if (session === '1') return 'expired'
      return first === '0' ? 'missing' : { scenario: 'bad_schema' }
    },
  },
]

describe.each(vendors)('a process that ends at any point (%s)', (vendor) => {
  it.each(cases)(
    'bills nothing twice and saves each session once: $name',
    async ({ rows, billed }) => {
      standIn.batchRow = rows
      const { reached } = await survive(vendor, [Number.POSITIVE_INFINITY])
      // The vendors share the code at these points, so they take turns: each takes every 24th, and of the longer, troubled
      // way every 60th; `npm run soak` takes all.
      const step = everyPoint ? 1 : rows === undefined ? 12 * vendors.length : 60
      for (
        let point = 1 + Math.floor((vendors.indexOf(vendor) * step) / vendors.length);
        point <= reached;
        point += step
      ) {
        const life = await survive(vendor, [point])
        await expectOnce(life.storage, billed)
      }
      expect(reached).toBeGreaterThan(90)
    },
    400_000,
  )

  it('is followed by several more, without harm', async () => {
    standIn.batchRow = cases[1]?.rows
    for (let round = 0; round < 25; round += repeats({ few: 13, all: 1 })) {
      const points = [7 + round * 4, 5 + ((round * 7) % 50), 3 + ((round * 11) % 40)]
      const { storage } = await survive(vendor, points)
      await expectOnce(storage, [1, 1, 2])
    }
  }, 400_000)
})
