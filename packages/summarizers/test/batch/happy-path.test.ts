import type { TokenUsage } from '@tenfold/core'
import { costOf, defaultPrices } from '@tenfold/core/internal'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { keysOf } from '../../../core/test/support/stored.ts'
import {
  type BatchEvent,
  batchStatus,
  collectBatch,
  listBatches,
  submitBatch,
  submittedLogs,
} from '../../src/batch/index.ts'
import { bench, billedTimes } from './support/jobs.ts'
import { oneVendor, providerOf, vendors } from './support/providers.ts'
import { greeting, someSessions } from './support/sessions.ts'

const standIn = testStandIn('each')

describe.each(vendors)('a batch of %s', (vendor) => {
  it('makes one bundle of each session, and one of the parts of a long one', async () => {
    const { options, store, storage } = bench()
    const provider = await providerOf(vendor, standIn)
    const submitted = await submitBatch({
      ...options,
      provider,
      sessions: someSessions(),
      track: 'night',
      maxRatio: 0.5,
    })
    expect(submitted).toMatchObject({ sessions: 3, requests: 5, unconfirmed: 0 })
    expect(submitted.batches).toHaveLength(1)
    expect(submitted.estimate.inputTokens).toBeGreaterThan(5000)
    expect(standIn.bill).toEqual([])

    const collected = await collectBatch(submitted.job, { ...options, provider, wait: true, pollMs: 5 })
    expect(collected).toMatchObject({ open: 0, failed: [], busy: false })
    expect([...billedTimes(standIn, submitted.job).values()]).toEqual([1, 1, 1, 1, 1])

    const entries = await store.history('night')
    expect(entries).toHaveLength(3)
    const bundles = await Promise.all(entries.map(({ id }) => store.load(id)))
    const long = bundles.find(({ source }) => source.sessionId === 'session-two')
    expect(long?.compression).toMatchObject({ summarizer: vendor, promptVersion: expect.any(String) })
    expect(collected.saved.map(({ calls }) => calls.map(({ purpose }) => purpose))).toEqual([
      ['summarize'],
      ['part 1/3', 'part 2/3', 'part 3/3'],
      ['summarize'],
    ])
    const calls = collected.saved.flatMap((session) => session.calls)
    expect(calls.every(({ tier, requestId }) => tier === 'batch' && requestId !== undefined)).toBe(true)
    const tokens = (usage: { readonly [K in keyof TokenUsage]: number | undefined }) =>
      (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    const billed = standIn.bill.reduce((sum, { usage }) => sum + usage.input + usage.output, 0)
    expect(calls.reduce((sum, { usage }) => sum + tokens(usage), 0)).toBe(billed)
    expect(bundles.reduce((sum, { compression }) => sum + tokens(compression.usage ?? {}), 0)).toBe(billed)

    // Half the price of the same calls one by one.
    const single = costOf(
      calls.map(({ tier: _, ...call }) => call),
      defaultPrices,
    )
    const amount = bundles.reduce((sum, { compression }) => sum + (compression.cost?.amount ?? 0), 0)
    expect(amount).toBeGreaterThan(0)
    expect(amount).toBeCloseTo((single?.amount ?? 0) / 2, 3)

    expect(await keysOf(storage, 'bundles/')).toHaveLength(6)
    expect(await batchStatus(storage, submitted.job)).toMatchObject({ sessions: 3, saved: 3, failed: 0 })
    expect((await listBatches(storage)).map(({ job }) => job)).toEqual([submitted.job])
  })

  it('is split into as many batches as the limits of the vendor require', async () => {
    const { options, store } = bench()
    const provider = await providerOf(vendor, standIn)
    const limits = { ...options.limits, maxRequests: 2 }
    const { job, batches } = await submitBatch({ ...options, limits, provider, sessions: someSessions() })
    expect(batches).toHaveLength(3)
    expect(standIn.batches.map(({ customIds }) => customIds.length)).toEqual([2, 2, 1])
    await collectBatch(job, { ...options, provider, wait: true, pollMs: 5 })
    expect([...billedTimes(standIn, job).values()]).toEqual([1, 1, 1, 1, 1])
    expect(await store.list()).toHaveLength(3)
  })

  it('has its bytes counted before the vendor counts them', async () => {
    const { options } = bench()
    const provider = await providerOf(vendor, standIn)
    const limits = { ...options.limits, maxBytes: 60_000 }
    await submitBatch({ ...options, limits, provider, sessions: someSessions() })
    const sizes = standIn.requests
      .filter(({ method, path }) => method === 'POST' && /files$|messages\/batches$/.test(path))
      .map(({ text }) => Buffer.byteLength(text))
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(61_000)
    await expect(
      submitBatch({ ...options, limits: { maxBytes: 100 }, provider, sessions: someSessions() }),
    ).rejects.toMatchObject({ code: 'batch-too-large' })
    await expect(submitBatch({ ...options, provider, sessions: [] })).rejects.toThrow('at least one session')
  })
})

describe.each(oneVendor)('a batch over %s', (vendor) => {
  it('makes no bundle of a session that left nothing to remember', async () => {
    const { options, store } = bench()
    const provider = await providerOf(vendor, standIn)
    standIn.answer = (call) => ({ ...(answerOf(call) as object), decisions: [], constraints: [] })
    const { job } = await submitBatch({ ...options, provider, sessions: [greeting('hello')] })
    const steps: string[] = []
    const report = ({ step }: BatchEvent): void => void steps.push(step)
    const collect = { ...options, provider, wait: true, pollMs: 5, report }
    const collected = await collectBatch(job, collect)
    expect(collected).toMatchObject({ saved: [], failed: [], open: 0, trivial: [{ n: 1, state: 'trivial' }] })
    expect(collected.trivial[0]?.calls).toHaveLength(1)
    expect(steps).toContain('session-trivial')
    expect(await store.latest('main')).toBeUndefined()
    expect(await batchStatus(store.storage, job)).toMatchObject({ sessions: 1, saved: 0, trivial: 1 })
    await collectBatch(job, collect)
    expect(billedTimes(standIn, job).size).toBe(1)
  })

  it('collects nothing before the batch has ended, and nothing twice', async () => {
    const { options, store } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    expect(await collectBatch(job, { ...options, provider })).toMatchObject({ open: 3, saved: [] })
    const first = await collectBatch(job, { ...options, provider })
    expect(first).toMatchObject({ open: 0, failed: [] })
    const before = standIn.requests.length
    expect(await collectBatch(job, { ...options, provider })).toEqual(first)
    expect(standIn.requests.length).toBe(before)
    expect(await store.list()).toHaveLength(3)
  })

  it('is known to have its logs, by digest and by session', async () => {
    const { options } = bench()
    const provider = await providerOf(vendor, standIn)
    const [one, two] = someSessions()
    if (one === undefined || two === undefined) throw new Error('expected two sessions')
    const { sha256 } = one.session.source
    const ofDatabase = { ...one, name: 'all.db#one' }
    const made = { ...options, provider, track: 'night' }
    expect(await submittedLogs(made)).toMatchObject({ isEmpty: true })
    const { job } = await submitBatch({ ...made, sessions: [ofDatabase] })
    const logs = await submittedLogs(made)
    expect(logs.jobOf(sha256, 'elsewhere.db#one')).toBe(job)
    expect(logs.jobOf(sha256, 'all.db#two')).toBeUndefined()
    expect(logs.jobOf(two.session.source.sha256, 'all.db#one')).toBeUndefined()
    // A limit of cost changes only how long an answer may be.
    expect(await submittedLogs({ ...made, admit: () => undefined })).toMatchObject({ isEmpty: false })
    expect(await submittedLogs({ ...made, track: 'day' })).toMatchObject({ isEmpty: true })
  })

  it('sends nothing and keeps nothing if the caller does not admit a request', async () => {
    const { options, storage } = bench()
    let asked = 0
    const admit = ({ tier }: { tier?: 'batch' }) => {
      expect(tier).toBe('batch')
      asked += 1
      if (asked === 4) throw new Error('too dear')
    }
    const provider = await providerOf(vendor, standIn)
    await expect(submitBatch({ ...options, provider, sessions: someSessions(), admit })).rejects.toThrow(
      'too dear',
    )
    expect(standIn.requests).toEqual([])
    expect(await keysOf(storage, '')).toEqual([])
  })
})
