import { bundleStore, type ContextBundle } from '@tenfold/core'
import { checkpointStore } from '@tenfold/core/store'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { seedOf } from '../../../test/support/seed.ts'
import { checkpointNumber } from '../../../tools/soak/samples.ts'
import { s3Storage } from '../src/index.ts'
import {
  type Fault,
  faultPlan,
  faults,
  type StandInOptions,
  s3StandIn,
  serveStandIn,
  standInKeys,
} from './stand-in-s3/index.ts'
import { copyOf, directClient, quick } from './support/storages.ts'
import { newBundle, runWriters } from './support/writers.ts'

interface Totals {
  acknowledged: number
  failed: number
  requests: number
  readonly faults: Map<Fault, number>
}

// Requests grow with the square of the writers.
const writerCounts = [2, 3, 2, 2, 4, 2, 2, 2, 5, 2, 3]

/** One run: 2 to 5 writers of 1 or 2 saves each, over a stand-in whose requests fail by the seed. */
async function runSeed(seed: number, totals: Totals, behaviour: StandInOptions): Promise<void> {
  const standIn = s3StandIn({ ...behaviour, pageSize: 3 + (seed % 5) })
  // Sometimes the store is so bad that saves are given up.
  const plan = faultPlan(seed, seed % 20 === 0 ? 0.6 : 0.02 + (seed % 7) * 0.02)
  const open = () =>
    s3Storage({
      bucket: 'bucket',
      client: directClient(standIn, plan),
      retry: { ...quick, attempts: 4 + (seed % 3), firstDelayMs: 0 },
      // A trial in each run would be a quarter of all requests.
      conditions: behaviour.conditions === undefined && seed % 5 > 0 ? 'full' : 'probe',
    })
  const { acknowledged, failed } = await runWriters(open, {
    writers: writerCounts[seed % writerCounts.length] ?? 2,
    saves: seed % 9 === 0 ? 2 : 1,
    look: () => copyOf(standIn),
    lists: behaviour.listLag === undefined ? 'all' : 'behind',
  })
  totals.acknowledged += acknowledged.length
  totals.failed += failed.length
  for (const count of standIn.counts.values()) totals.requests += count
  for (const [fault, count] of plan.given) totals.faults.set(fault, (totals.faults.get(fault) ?? 0) + count)
}

async function runSeeds(count: number, behaviour: StandInOptions = {}): Promise<Totals> {
  const totals: Totals = { acknowledged: 0, failed: 0, requests: 0, faults: new Map() }
  for (let at = 1; at <= count; at++) {
    const seed = seedOf(at)
    try {
      await runSeed(seed, totals, behaviour)
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }
  return totals
}

describe('writers of one track over a faulty store', () => {
  it('lose no save, and leave LATEST whole, for many seeds', async () => {
    const count = Number(process.env.TENFOLD_S3_SEEDS ?? repeats({ few: 30, all: 380 }))
    const start = performance.now()
    const totals = await runSeeds(count)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const given = [...totals.faults.values()].reduce((sum, one) => sum + one, 0)
    console.info(
      `${count} seeds: ${totals.acknowledged} saves acknowledged, ${totals.failed} given up, ${totals.requests} requests, ${given} faults, ${seconds} s`,
    )
    expect([...totals.faults.keys()].sort()).toEqual([...faults].sort())
    expect(totals.acknowledged).toBeGreaterThan(count * 2)
    expect(totals.failed).toBeLessThan(totals.acknowledged / 20)
  }, 900_000)

  it('do so if listings lag behind', async () => {
    await runSeeds(repeats({ few: 3, all: 60 }), { listLag: 4 })
  })

  it('do so if the store has no If-Match', async () => {
    await runSeeds(repeats({ few: 3, all: 60 }), { conditions: 'no-if-match' })
  })

  it('leave an empty track if all of them give up', async () => {
    const standIn = s3StandIn()
    const client = directClient(standIn, faultPlan(1, 1, ['error-500']))
    const retry = { ...quick, attempts: 2, firstDelayMs: 0 }
    const open = () => s3Storage({ bucket: 'bucket', client, retry, conditions: 'full' })
    const { acknowledged, failed } = await runWriters(open, {
      writers: 2,
      saves: 1,
      look: () => copyOf(standIn),
    })
    expect(acknowledged).toEqual([])
    expect(failed).toHaveLength(2)
  })

  it('do so over HTTP', async () => {
    for (let seed = 1; seed <= repeats({ few: 1, all: 5 }); seed++) {
      const plan = faultPlan(seed, 0.06)
      const server = await serveStandIn(s3StandIn(), { plan })
      const open = () =>
        s3Storage({ bucket: 'bucket', endpoint: server.endpoint, credentials: standInKeys, retry: quick })
      try {
        await runWriters(open, { writers: 3, saves: 3 })
        expect(plan.given.size).toBeGreaterThan(0)
      } finally {
        await server.close()
      }
    }
  })
})

describe('a store that ignores conditions', () => {
  for (const conditions of ['ignores-conditions', 'no-conditions'] as const)
    it(`loses no save, since no two of them share a key: ${conditions}`, async () => {
      for (let seed = 1; seed <= repeats({ few: 1, all: 3 }); seed++) {
        const standIn = s3StandIn({ conditions })
        const client = directClient(standIn, faultPlan(seed, 0.02))
        const open = () => s3Storage({ bucket: 'bucket', client, retry: quick })
        const options = { writers: 4, saves: 2, look: () => copyOf(standIn) }
        expect((await runWriters(open, options)).acknowledged).toHaveLength(8)
      }
    })

  it('loses a save to another of the same id, and these tests notice', async () => {
    const standIn = s3StandIn({ conditions: 'ignores-conditions' })
    const open = () => s3Storage({ bucket: 'bucket', client: directClient(standIn), retry: quick })
    const bundle = newBundle()
    const take = (): ContextBundle => ({ ...newBundle(), id: bundle.id })
    const run = runWriters(open, { writers: 4, saves: 2, look: () => copyOf(standIn), take })
    await expect(run).rejects.toThrow(/expected/)
  })
})

describe('the requests of a store in a bucket', () => {
  it('are three for a save, and two to read LATEST', async () => {
    const standIn = s3StandIn()
    const open = () =>
      bundleStore(s3Storage({ bucket: 'bucket', client: directClient(standIn), retry: quick }))
    const requests = async (run: () => Promise<unknown>): Promise<Record<string, number>> => {
      standIn.counts.clear()
      await run()
      return Object.fromEntries(standIn.counts)
    }
    const bundles = Array.from({ length: 5 }, newBundle)
    for (const bundle of bundles)
      expect(await requests(() => open().save(bundle))).toEqual({ 'PUT if-none-match': 3 })
    expect(await requests(() => open().latest('main'))).toEqual({ GET: 2 })
    expect((await open().latest('main'))?.bundle).toEqual(bundles.at(-1))
    expect(await requests(() => open().nextTime('main'))).toEqual({ GET: 1 })
    const checkpoints = () => checkpointStore(open().storage)
    for (const n of [1, 2, 3])
      expect(await requests(() => checkpoints().save(checkpointNumber(n)))).toEqual({
        'PUT if-none-match': 3,
      })
    expect(await requests(() => checkpoints().latest())).toEqual({ GET: 2 })
    expect((await checkpoints().latest())?.checkpoint).toEqual(checkpointNumber(3))
    expect([...standIn.objects.keys()].filter((key) => key.includes('LATEST'))).toEqual([])
  })
})
