import { describe, expect, it } from 'vitest'
import type { RowOutcome } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { collectBatch, submitBatch } from '../../src/batch/index.ts'
import { extractiveSummarizer } from '../../src/extractive/index.ts'
import { bench, billedTimes } from './support/jobs.ts'
import { oneVendor, providerOf, type Vendor, vendors } from './support/providers.ts'
import { batchSession, someSessions } from './support/sessions.ts'

const standIn = testStandIn('each')

/** Outcomes by attempt and session; the others succeed. */
function rows(outcomes: Record<string, RowOutcome>): void {
  standIn.batchRow = (customId) => {
    const [, attempt, session, first] = customId.split('_')
    return outcomes[`${attempt}/${session}/${first}`] ?? outcomes[`${attempt}/${session}`] ?? 'succeeded'
  }
}

async function run(vendor: Vendor, more: Partial<Parameters<typeof collectBatch>[1]> = {}) {
  const { options, store, events } = bench()
  const provider = await providerOf(vendor, standIn)
  const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
  const collected = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2, ...more })
  const bundles = await Promise.all((await store.list()).map(({ id }) => store.load(id)))
  return { job, collected, events, bundles, attempts: standIn.batches.map(({ customIds }) => customIds) }
}

describe.each(vendors)('rows of a batch of %s', (vendor) => {
  it.each([
    ['expired', 'expired'],
    ['canceled by the vendor', 'canceled'],
    ['missing', 'missing'],
    ['overloaded', { scenario: 'status', code: 529 }],
  ] as [string, RowOutcome][])('sends again what is %s', async (_, outcome) => {
    rows({ '1/1': outcome, '1/2/0': outcome })
    const { job, collected, attempts } = await run(vendor)
    expect(attempts.map((ids) => ids.length)).toEqual([5, 2])
    expect(new Set(attempts.flat()).size).toBe(7)
    expect(collected).toMatchObject({ open: 0, failed: [] })
    expect([...billedTimes(standIn, job).values()]).toEqual([1, 1, 1, 1, 1])
    expect(collected.saved.map(({ calls }) => calls.length)).toEqual([1, 3, 1])
  })

  it('are read again if they end early, cut between two rows', async () => {
    let cuts = 0
    const cutting: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (!/results$|content$/.test(String(input)) || cuts++ > 0) return response
      return new Response((await response.text()).split('\n').slice(0, 2).join('\n'))
    }
    const { options } = bench()
    const provider = await providerOf(vendor, standIn, { fetch: cutting })
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    const { saved } = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(saved).toHaveLength(3)
    expect(cuts).toBe(2)
    expect(standIn.batches).toHaveLength(1)
  })

  it('are read again if the download breaks off', async () => {
    const path = vendor === 'anthropic' ? 'GET /v1/messages/batches/msgbatch' : 'GET /v1/files/'
    const retrievals = vendor === 'anthropic' ? ['ok', 'ok', 'ok'] : []
    standIn.scriptFor(path, [...retrievals, 'stream_cut', ...retrievals.slice(2), 'stream_reset'] as never)
    const { job, collected, events } = await run(vendor)
    expect(collected).toMatchObject({ open: 0, failed: [] })
    expect(events.filter(({ step }) => step === 'retry').length).toBeGreaterThan(0)
    expect([...billedTimes(standIn, job).values()]).toEqual([1, 1, 1, 1, 1])
    expect(standIn.batches).toHaveLength(1)
  })
})

describe.each(oneVendor)('rows of a batch over %s', (vendor) => {
  it('are given up after three batches, and the session fails without a fallback', async () => {
    rows({ '1/1': 'expired', '2/1': 'expired', '3/1': 'expired' })
    const { collected, attempts, bundles } = await run(vendor)
    expect(attempts.map((ids) => ids.length)).toEqual([5, 1, 1])
    expect(collected.failed).toMatchObject([{ n: 1, state: 'failed', calls: [] }])
    expect(collected.failed[0]?.reason).toMatch(/expired|was over/)
    expect(bundles).toHaveLength(2)
  })

  it('are noted in the bundle if the fallback summarized a part', async () => {
    rows({ '1/2/0': { scenario: 'refusal' }, '1/1': 'errored' })
    const { collected, attempts, bundles } = await run(vendor, { fallback: extractiveSummarizer() })
    expect(attempts).toHaveLength(1)
    expect(collected).toMatchObject({ open: 0, failed: [] })
    const [one, two] = ['session-one', 'session-two'].map((id) =>
      bundles.find(({ source }) => source.sessionId === id),
    )
    expect(one?.compression.summarizer).toBe('extractive')
    expect(one?.compression.fallback).toMatch(/bad-request/)
    expect(two?.compression.summarizer).toBe(vendor)
    expect(two?.compression.fallback).toMatch(/part 1 of 3, refused/)
    // A refusal is billed.
    const calls = collected.saved.find(({ n }) => n === 2)?.calls ?? []
    expect(calls.filter(({ tier }) => tier === 'batch')).toHaveLength(3)
    expect(calls[0]).toMatchObject({ stop: 'refusal', tier: 'batch' })
  })

  it('are repaired once if the answer is not a summary', async () => {
    rows({
      '1/1': { scenario: 'bad_schema' },
      '1/3': { scenario: 'prose' },
      '2/3': { scenario: 'bad_schema' },
    })
    const { job, collected, attempts } = await run(vendor)
    expect(attempts.map((ids) => ids.length)).toEqual([5, 2])
    expect(collected.failed.map(({ n, reason }) => [n, reason?.split(':')[0]])).toEqual([
      [3, 'invalid-output'],
    ])
    expect([...billedTimes(standIn, job).values()].sort()).toEqual([1, 1, 1, 2, 2])
    const one = collected.saved.find(({ n }) => n === 1)
    expect(one?.calls.map(({ purpose }) => purpose)).toEqual(['summarize', 'summarize repair'])
    const repair = standIn.received()
    expect(repair).toContain('Answer again with the whole corrected JSON object')
  })

  it('have their repair sent again if it got no reply', async () => {
    rows({ '1/1': { scenario: 'bad_schema' }, '2/1': 'expired' })
    const { collected, attempts } = await run(vendor)
    expect(attempts.map((ids) => ids.length)).toEqual([5, 1, 1])
    expect(collected.failed).toEqual([])
    const one = collected.saved.find(({ n }) => n === 1)
    expect(one?.calls.map(({ purpose }) => purpose)).toEqual(['summarize', 'summarize repair'])
  })

  it('are halved until they fit if they are too long', async () => {
    standIn.answer = ({ inputTokens }) => (inputTokens > 2500 ? { scenario: 'prompt_too_long' } : undefined)
    const { collected, attempts, bundles } = await run(vendor)
    expect(collected).toMatchObject({ open: 0, failed: [] })
    expect(attempts.length).toBeGreaterThan(1)
    const two = bundles.find(({ source }) => source.sessionId === 'session-two')
    expect(collected.saved[1]?.calls.length).toBeGreaterThan(3)
    expect(two?.compression.fallback).toBeUndefined()
  })

  it('are halved three times at most if the answer is cut at its limit', async () => {
    standIn.always('ok')
    standIn.answer = () => ({ scenario: 'max_tokens' })
    const { options } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 8)] })
    const { failed } = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(failed).toHaveLength(1)
    expect(standIn.batches.map(({ customIds }) => customIds.length)).toEqual([1, 2, 4, 8])
    expect(failed[0]?.calls).toHaveLength(15)
  })

  it('are halved only a few times if they are always too long', async () => {
    standIn.answer = () => ({ scenario: 'prompt_too_long' })
    const { options } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 60)] })
    const { failed } = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(failed).toHaveLength(1)
    const sizes = standIn.batches.map(({ customIds }) => customIds.length)
    expect(sizes.map((size) => size / (sizes[0] ?? 1))).toEqual([1, 2, 4, 8])
  })

  it('are not sent again if resending is switched off', async () => {
    rows({ '1/1': 'expired' })
    const { collected, attempts } = await run(vendor, { resubmit: false })
    expect(attempts).toHaveLength(1)
    expect(collected.failed).toHaveLength(1)
    expect(collected.saved).toHaveLength(2)
  })
})

describe('a batch that failed as a whole', () => {
  it('is sent again when there is room in the queue of OpenAI', async () => {
    standIn.script(['failed'])
    const { job, collected, attempts } = await run('openai')
    expect(attempts.map((ids) => ids.length)).toEqual([5, 5])
    expect(collected).toMatchObject({ open: 0, failed: [] })
    expect([...billedTimes(standIn, job).values()]).toEqual([1, 1, 1, 1, 1])
  })

  it('does not count as a try of its requests, but is not repeated for ever', async () => {
    standIn.script(['failed', 'failed', 'failed', 'failed'])
    const { collected } = await run('openai')
    expect(standIn.batches).toHaveLength(5)
    expect(collected.saved).toHaveLength(3)
    standIn.always('failed')
    const { collected: second } = await run('openai')
    expect(standIn.batches).toHaveLength(5 + 13)
    expect(second.failed).toHaveLength(3)
  })

  it('waits before it is sent again', async () => {
    standIn.script(['failed'])
    const { options } = bench()
    const limits = { ...options.limits, rateLimitMs: 60_000 }
    const provider = await providerOf('openai', standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    for (let look = 0; look < 4; look++) await collectBatch(job, { ...options, limits, provider })
    expect(standIn.batches).toHaveLength(1)
    await collectBatch(job, { ...options, provider })
    expect(standIn.batches).toHaveLength(2)
  })
})
