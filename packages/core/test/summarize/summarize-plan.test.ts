import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { sessionSummarySchema } from '../../src/bundle/session-summary.ts'
import type { ProgressEvent } from '../../src/session/report-to-log.ts'
import { itemTokens } from '../../src/summarize/parts/split-transcript.ts'
import { type SummarizeOptions, summarizePlan } from '../../src/summarize/summarize-plan.ts'
import type { Summarizer, SummarizerCall } from '../../src/summarize/summarizer.ts'
import { SummarizerError, type SummarizerFailure } from '../../src/summarize/summarizer-error.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { fakeSummarizer, planOf, rangeOf, transcriptItem, words } from './fake-summarizer.ts'
import { summaryWith } from './summaries.ts'

const purposes = (calls: readonly SummarizerCall[]) => calls.map(({ purpose }) => purpose)

async function failureOf(promise: Promise<unknown>): Promise<SummarizerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SummarizerError)
  return error as SummarizerError
}

describe('a plan in one request', () => {
  it('goes whole if it fits', async () => {
    const fake = fakeSummarizer()
    const plan = planOf(20, 50)
    const summarized = await summarizePlan(plan, fake)
    expect(fake.requests).toHaveLength(1)
    expect(fake.requests[0]).toMatchObject({ kind: 'context', items: plan.transcript, maxTokens: 150 })
    expect(fake.requests[0]?.part).toBeUndefined()
    expect(summarized).toMatchObject({
      summary: { overview: 'read e1-e20' },
      summarizer: 'fake',
      model: 'fake-1',
      promptVersion: '7',
      usage: { inputTokens: 1000, outputTokens: 10 },
      readTokens: 1000,
      notes: [],
    })
    expect(summarized.fallback).toBeUndefined()
    expect(summarized.cost).toBeUndefined()
  })

  it('throws on a reply that is not a summary', async () => {
    const junk = fakeSummarizer({ answer: () => ({ ...summaryWith(), overview: 'two\u0007' }) })
    const error = await failureOf(summarizePlan(planOf(3, 10), junk))
    expect(error.message).toMatch(/^fake returned no valid summary: overview: /)
    expect(error.reason).toBe('invalid-output')
    expect(error.calls).toHaveLength(1)
  })

  it('turns any error of a summarizer into SummarizerError', async () => {
    const broken: Summarizer = {
      name: 'broken',
      summarize: () => Promise.reject(new TypeError('no such thing')),
    }
    const error = await failureOf(summarizePlan(planOf(3, 10), broken))
    expect(error.message).toBe('broken failed: no such thing')
    expect(error.reason).toBe('unknown')
  })

  it('refuses invalid options', async () => {
    await expect(summarizePlan(planOf(3, 10), [])).rejects.toThrow('expected at least one summarizer')
    for (const concurrency of [0, 1.5, Number.NaN])
      await expect(summarizePlan(planOf(3, 10), fakeSummarizer(), { concurrency })).rejects.toThrow(
        RangeError,
      )
  })
})

describe('a plan in parts', () => {
  it('gives the same summary no matter which part ends first', async () => {
    const plan = planOf(60, 50)
    const run = async (delays: readonly number[], concurrency: number) => {
      const fake = fakeSummarizer({
        contextWindow: 700,
        delay: (index) => delays[index % delays.length] ?? 0,
        fails: (request) => (rangeOf(request).startsWith('e21-') ? 'refused' : undefined),
      })
      return await summarizePlan(plan, [fake, fakeSummarizer({ name: 'second' })], { concurrency })
    }
    const straight = await run([0], 1)
    expect(straight.calls.length).toBeGreaterThan(5)
    expect(straight.fallback).toBe('fake: refused e21-e30; second wrote that part')
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 7, maxLength: 7 }),
        fc.integer({ min: 1, max: 8 }),
        async (delays, concurrency) => {
          expect(await run(delays, concurrency)).toEqual(straight)
        },
      ),
      { numRuns: repeats({ few: 10, all: 25 }), seed: seedOf(41) },
    )
  })

  it('reads every item once, a few parts at a time, and gives the summarizer its position', async () => {
    const plan = planOf(100, 50)
    const fake = fakeSummarizer({ contextWindow: 700, delay: () => 3 })
    const { summary, calls, readTokens } = await summarizePlan(plan, fake, { concurrency: 3 })
    expect(fake.most).toBe(3)
    expect(fake.requests.flatMap(({ items }) => items)).toEqual(plan.transcript)
    expect(fake.requests.map(({ part }) => part)).toEqual(
      fake.requests.map((_, index) => ({ number: index + 1, of: fake.requests.length })),
    )
    for (const { items } of fake.requests)
      expect(items.reduce((sum, item) => sum + itemTokens(item, words), 0)).toBeLessThanOrEqual(700)
    const shares = fake.requests.map(({ maxTokens }) => maxTokens)
    expect(Math.min(...shares)).toBeGreaterThan(250)
    expect(summary.findings).toHaveLength(100)
    expect(summary.overview.split('\n\n')[0]).toMatch(/^e1-e\d+: read e1-e\d+$/)
    expect(purposes(calls)).toEqual(fake.requests.map(rangeOf))
    expect(readTokens).toBe(5000)
  })

  it('covers a session of a million tokens with many parts', async () => {
    const plan = planOf(2500, 110, tiktokenCounter())
    await expectCpuBelow(20_000, async () => {
      const fake = fakeSummarizer({ contextWindow: 30_000, incremental: true })
      const { summary, calls, readTokens } = await summarizePlan(plan, fake)
      expect(readTokens).toBeGreaterThan(1_000_000)
      expect(calls.length).toBeGreaterThan(35)
      expect(summary.findings).toHaveLength(2500)
    })
  })

  it('is merged by the summarizer if it can merge', async () => {
    const fake = fakeSummarizer({ contextWindow: 1500, incremental: true })
    const { summary, calls, notes } = await summarizePlan(planOf(40, 50), fake)
    const last = fake.requests.at(-1)
    expect(last?.items).toEqual([])
    expect(last?.part).toBeUndefined()
    expect(last?.earlier?.findings).toHaveLength(40)
    expect(summary.overview).toBe('brought up to date with nothing')
    expect(summary.findings).toHaveLength(40)
    expect(calls.at(-1)?.purpose).toBe('nothing')
    expect(notes).toEqual([])
  })

  it('keeps the parts if merging fails or does not fit', async () => {
    const fake = fakeSummarizer({
      contextWindow: 1500,
      incremental: true,
      fails: ({ earlier }) => (earlier === undefined ? undefined : 'overloaded'),
    })
    const failed = await summarizePlan(planOf(40, 50), [fake, fakeSummarizer({ name: 'second' })])
    expect(failed.summary.overview).toMatch(/^e1-e\d+: read/)
    expect(failed.notes).toEqual([
      {
        code: 'merged-by-code',
        message: 'the summaries of 2 parts were merged by code: fake said overloaded',
      },
    ])
    expect(failed.calls.at(-1)?.error).toBe('overloaded')
    expect(failed.fallback).toBeUndefined()

    const narrow = fakeSummarizer({ contextWindow: 130, incremental: true })
    const unfit = await summarizePlan(planOf(100, 50), narrow)
    expect(unfit.notes[0]?.message).toContain('too large for one request')
    expect(narrow.requests.every(({ earlier }) => earlier === undefined)).toBe(true)
  })

  it('does not ask a failed summarizer to merge the parts', async () => {
    const first = fakeSummarizer({
      name: 'first',
      contextWindow: 700,
      incremental: true,
      fails: () => 'auth',
    })
    const second = fakeSummarizer({ name: 'second', contextWindow: 700 })
    const { notes } = await summarizePlan(planOf(60, 50), [first, second], { concurrency: 1 })
    expect(first.requests).toHaveLength(1)
    expect(notes.map(({ code }) => code)).toEqual(['summarizer-failed'])
  })

  it('halves a part that is too long for the model', async () => {
    const limit = 600
    const size = (items: readonly { text: string }[]) =>
      items.reduce((sum, { text }) => sum + words.count(text), 0)
    const fake = fakeSummarizer({
      contextWindow: 5000,
      fails: ({ items }) => (size(items) > limit ? 'prompt-too-long' : undefined),
    })
    const plan = planOf(150, 50)
    const { summary, calls, fallback, readTokens } = await summarizePlan(plan, fake)
    expect(summary.findings.map(({ text }) => text)).toEqual(
      plan.transcript.map(({ event }) => `finding ${event}`),
    )
    expect(calls.filter(({ error }) => error !== undefined).length).toBeGreaterThan(2)
    expect(calls[0]).toMatchObject({ error: 'prompt-too-long' })
    const starts = calls.map(({ purpose }) => Number(/\d+/.exec(purpose ?? '')?.[0]))
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(fallback).toBeUndefined()
    expect(readTokens).toBe(7500)
  })

  it('shortens a single item to half, and gives up at the floor', async () => {
    const plan = planOf(1, 4000)
    const fake = fakeSummarizer({
      fails: ({ items }) => (words.count(items[0]?.text ?? '') > 1100 ? 'prompt-too-long' : undefined),
    })
    const { summary, readTokens } = await summarizePlan(plan, fake)
    expect(summary.findings).toHaveLength(1)
    expect(readTokens).toBeLessThanOrEqual(1100)
    expect(readTokens).toBeGreaterThan(800)
    expect(fake.requests.at(-1)?.items[0]?.text).toMatch(/ \[…\d+\] /)

    const never = fakeSummarizer({ fails: () => 'prompt-too-long' })
    const error = await failureOf(summarizePlan(planOf(100, 50), never))
    expect(error.reason).toBe('prompt-too-long')
    expect(error.calls).toHaveLength(never.requests.length)
    const smallest = Math.min(...never.requests.map(({ items }) => items.length * 62))
    expect(smallest).toBeGreaterThan(300)
    expect(smallest).toBeLessThan(850)
  })
})

describe('a chain', () => {
  const content: SummarizerFailure[] = [
    'refused',
    'content-filter',
    'truncated',
    'empty',
    'inflated',
    'invalid-output',
    'bad-request',
    'prompt-too-long',
  ]

  it.each(content)('sends only the part that failed as %s to the next summarizer', async (reason) => {
    const first = fakeSummarizer({
      name: 'first',
      contextWindow: 700,
      fails: ({ items }) => (items.some(({ event }) => event === 'e15') ? reason : undefined),
    })
    const second = fakeSummarizer({ name: 'second', contextWindow: 300 })
    const plan = planOf(50, 50)
    const { summary, summarizer, fallback, notes, calls } = await summarizePlan(plan, [first, second])
    expect(summary.findings).toHaveLength(50)
    expect(summarizer).toBe('first')
    expect(fallback).toMatch(new RegExp(`^first: ${reason} e1[0-5]-e(1[5-9]|20); second wrote that part$`))
    expect(second.requests.length).toBeGreaterThan(0)
    for (const { items } of second.requests) expect(items.length * 62).toBeLessThanOrEqual(300)
    expect(notes).toContainEqual({ code: 'summarizer-failed', message: `first said ${reason}` })
    expect(calls).toHaveLength(first.requests.length + second.requests.length)
  })

  const fatal: SummarizerFailure[] = [
    'auth',
    'spend-limit',
    'connection',
    'overloaded',
    'rate-limited',
    'unknown',
  ]

  it('stops asking one that refused two parts and took none, for a reason in the request', async () => {
    const first = fakeSummarizer({ name: 'first', contextWindow: 700, fails: () => 'bad-request' })
    const second = fakeSummarizer({ name: 'second' })
    const { summarizer } = await summarizePlan(planOf(200, 50), [first, second], { concurrency: 1 })
    expect(first.requests).toHaveLength(2)
    expect(summarizer).toBe('second')
  })

  it.each(fatal)('stops asking one that failed as %s, and gives the next one everything', async (reason) => {
    const first = fakeSummarizer({ name: 'first', contextWindow: 700, fails: () => reason })
    const second = fakeSummarizer({ name: 'second' })
    const plan = planOf(200, 50)
    const { summary, summarizer, fallback, readTokens } = await summarizePlan(plan, [first, second], {
      concurrency: 2,
    })
    expect(first.requests).toHaveLength(2)
    expect(second.requests.map(({ items }) => items)).toEqual([plan.transcript])
    expect(second.requests[0]?.part).toBeUndefined()
    expect(summary).toMatchObject({ overview: 'read e1-e200' })
    expect(summarizer).toBe('second')
    expect(fallback).toBe(`first: ${reason}; second wrote the whole`)
    expect(readTokens).toBe(10_000)
  })

  it('keeps what was paid for when a summarizer drops out', async () => {
    let dropOut = (): void => {}
    const droppedOut = new Promise<void>((resolve) => {
      dropOut = () => setImmediate(resolve)
    })
    const first = fakeSummarizer({
      name: 'first',
      contextWindow: 700,
      delay: (index) => (index === 1 ? 1 : droppedOut),
      fails(_, index) {
        if (index !== 1) return undefined
        dropOut()
        return 'overloaded'
      },
    })
    const second = fakeSummarizer({ name: 'second' })
    const { summary, calls, fallback } = await summarizePlan(planOf(60, 50), [first, second], {
      concurrency: 3,
    })
    expect(summary.findings).toHaveLength(60)
    expect(
      calls.filter(({ summarizer, error }) => summarizer === 'first' && error === undefined),
    ).toHaveLength(2)
    expect(fallback).toBe('first: overloaded e11-e20, e31-e60; second wrote those parts')
  })

  it('fails with the calls of every summarizer if the last one fails, and stops what still runs', async () => {
    const told: SummarizerCall[] = []
    const first = fakeSummarizer({ name: 'first', contextWindow: 700, fails: () => 'refused' })
    const second = fakeSummarizer({
      name: 'second',
      contextWindow: 700,
      delay: (index) => (index === 0 ? 1 : 600_000),
      fails: () => 'auth',
    })
    const started = performance.now()
    const error = await failureOf(
      summarizePlan(planOf(60, 50), [first, second], { onCall: (call) => told.push(call) }),
    )
    expect(performance.now() - started).toBeLessThan(60_000)
    expect(error.reason).toBe('auth')
    expect(error.message).toBe('first said refused; second said auth')
    expect(error.calls.map(({ summarizer }) => summarizer).filter((name) => name === 'first')).toHaveLength(6)
    expect(second.requests.length).toBeLessThan(6)
    expect(error.calls).toHaveLength(first.requests.length + second.requests.length)
    expect(told.toSorted()).toHaveLength(error.calls.length)
    expect(error.cause).toBeInstanceOf(SummarizerError)
  })

  it('sends nothing more once the last summarizer failed on a part', async () => {
    const fake = fakeSummarizer({ contextWindow: 700, fails: () => 'refused' })
    const error = await failureOf(summarizePlan(planOf(60, 50), fake, { concurrency: 1 }))
    expect(error.message).toBe('fake said refused')
    expect(fake.requests).toHaveLength(1)
  })

  it('skips a summarizer with an empty window', async () => {
    const narrow = fakeSummarizer({ name: 'narrow', contextWindow: -5 })
    const { fallback } = await summarizePlan(planOf(5, 50), [narrow, fakeSummarizer({ name: 'second' })])
    expect(fallback).toBe('narrow: prompt-too-long; second wrote the whole')
    expect(narrow.requests).toEqual([])
  })

  it('counts calls that a summarizer reported only at its end', async () => {
    const call: SummarizerCall = { summarizer: 'quiet', usage: { inputTokens: 5, outputTokens: 1 } }
    const quiet: Summarizer = {
      name: 'quiet',
      summarize: (_, { onCall }) => {
        onCall?.({ ...call })
        return Promise.resolve({ summary: summaryWith(), calls: [call, { ...call, purpose: 'repair' }] })
      },
    }
    const told: SummarizerCall[] = []
    const { calls, usage } = await summarizePlan(planOf(2, 5), quiet, { onCall: (made) => told.push(made) })
    expect(calls.map(({ purpose }) => purpose)).toEqual([undefined, 'repair'])
    expect(told).toEqual(calls)
    expect(usage).toEqual({ inputTokens: 10, outputTokens: 2 })
  })
})

describe('an abort', () => {
  const reason = new Error('stopped by the caller')

  async function abortAfter(
    ms: number,
    summarizers: Parameters<typeof summarizePlan>[1],
    options: SummarizeOptions,
  ) {
    const control = new AbortController()
    setTimeout(() => control.abort(reason), ms)
    const started = performance.now()
    await expect(
      summarizePlan(planOf(60, 50), summarizers, { ...options, signal: control.signal }),
    ).rejects.toBe(reason)
    return performance.now() - started - ms
  }

  it('rejects at once with its reason, reports the calls first, and asks no other summarizer', async () => {
    const told: SummarizerCall[] = []
    const first = fakeSummarizer({ contextWindow: 700, delay: () => 600_000 })
    const second = fakeSummarizer({ name: 'second' })
    const late = await abortAfter(20, [first, second], { concurrency: 2, onCall: (call) => told.push(call) })
    expect(late).toBeLessThan(60_000)
    expect(first.requests).toHaveLength(2)
    expect(told.map(({ error }) => error)).toEqual(['aborted', 'aborted'])
    expect(second.requests).toEqual([])
  })

  it('does not wait for a summarizer that does not stop', async () => {
    const deaf = fakeSummarizer({ contextWindow: 700, delay: () => 600_000, deaf: true })
    expect(await abortAfter(10, deaf, { concurrency: 2 })).toBeLessThan(60_000)
    expect(deaf.requests).toHaveLength(2)
  })

  it('stops the request that merges the parts', async () => {
    const fake = fakeSummarizer({
      contextWindow: 1500,
      incremental: true,
      delay: (index) => (index > 2 ? 600_000 : 0),
    })
    expect(await abortAfter(50, fake, {})).toBeLessThan(60_000)
  })

  it('sends nothing if the signal is already aborted', async () => {
    const fake = fakeSummarizer()
    await expect(summarizePlan(planOf(5, 5), fake, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
    expect(fake.requests).toEqual([])
  })
})

describe('an earlier summary', () => {
  const before = summaryWith({ overview: 'It began.', findings: [{ text: 'old', evidence: ['e1'] }] })
  const earlier = { summary: before, items: [transcriptItem(31, 50), transcriptItem(32, 50)] }

  it('is updated with the new items only', async () => {
    const fake = fakeSummarizer({ incremental: true, contextWindow: 700 })
    const { summary, readTokens, calls } = await summarizePlan(planOf(32, 50), fake, { earlier })
    expect(fake.requests).toMatchObject([{ items: earlier.items, earlier: before }])
    expect(summary).toMatchObject({
      overview: 'brought up to date with e31-e32',
      findings: [{ text: 'old' }],
    })
    expect(calls).toHaveLength(1)
    expect(readTokens).toBe(100)
  })

  it('is merged by code with the summary of the new items if the summarizer cannot update', async () => {
    const { summary } = await summarizePlan(planOf(32, 50), fakeSummarizer(), { earlier })
    expect(summary.overview).toBe('e1-e30: It began.\n\ne31-e32: read e31-e32')
    expect(summary.findings.map(({ text }) => text)).toEqual(['old', 'finding e31', 'finding e32'])
  })

  it('is merged with several parts', async () => {
    const fake = fakeSummarizer({ incremental: true, contextWindow: 700 })
    const items = Array.from({ length: 20 }, (_, index) => transcriptItem(31 + index, 50))
    const { summary } = await summarizePlan(planOf(50, 50), fake, { earlier: { summary: before, items } })
    expect(fake.requests.slice(0, -1).every((request) => request.earlier === undefined)).toBe(true)
    expect(fake.requests.at(-1)?.earlier?.findings).toHaveLength(21)
    expect(summary.overview).toBe('brought up to date with nothing')
  })

  it('is left out of a request that has no room for it', async () => {
    const large = summaryWith({ overview: 'It began. '.repeat(400).trim() })
    const fake = fakeSummarizer({ incremental: true, contextWindow: 700 })
    await summarizePlan(planOf(32, 50), fake, { earlier: { summary: large, items: earlier.items } })
    const [first, second] = fake.requests
    expect([first?.items, first?.earlier]).toEqual([earlier.items, undefined])
    expect(second?.items).toEqual([])
    expect(second?.earlier?.overview).toMatch(/^e1-e30: It began\. .*\[…\d+\].*e31-e32: read e31-e32$/s)
  })

  it('remains if there is nothing new', async () => {
    const fake = fakeSummarizer({ incremental: true })
    const summarized = await summarizePlan(planOf(5, 5), fake, { earlier: { summary: before, items: [] } })
    expect(summarized).toMatchObject({ summary: before, calls: [], readTokens: 0 })
    expect(fake.requests).toEqual([])
  })
})

describe('limits', () => {
  const prices = {
    date: '2026-01-02',
    currency: 'EUR',
    models: [{ match: 'fake-1', provider: 'fake', input: 100, output: 1000 }],
  }

  it('refuse, before any call, more than the parts would take together', async () => {
    const fake = fakeSummarizer({ contextWindow: 700, estimates: true })
    const error = await failureOf(summarizePlan(planOf(60, 50), fake, { limits: { maxInputTokens: 2999 } }))
    expect(error.reason).toBe('over-budget')
    expect(error.message).toContain('maxInputTokens 2999 does not allow 6 calls of about 3000 input tokens')
    expect(fake.requests).toEqual([])

    const dear = await failureOf(summarizePlan(planOf(60, 50), fake, { limits: { maxCost: 0.3, prices } }))
    expect(dear.message).toContain('maxCost 0.3 EUR does not allow 6 calls of up to 0.36 EUR')
    expect(fake.requests).toEqual([])
  })

  it('let the next summarizer of the chain take over', async () => {
    const fake = fakeSummarizer({ contextWindow: 700, estimates: true })
    const { fallback, calls } = await summarizePlan(
      planOf(60, 50),
      [fake, fakeSummarizer({ name: 'free' })],
      {
        limits: { maxInputTokens: 3000 },
      },
    )
    expect(fallback).toBeUndefined()
    expect(calls).toHaveLength(6)
    const tight = await summarizePlan(
      planOf(60, 50),
      [fake, { name: 'free', summarize: async () => ({ summary: summaryWith(), calls: [] }) }],
      { limits: { maxInputTokens: 2000 } },
    )
    expect(tight.fallback).toBe('fake: over-budget; free wrote the whole')
    expect(tight.calls).toEqual([])
  })

  it('count what is spent, so that a request that costs more than was reported is the last', async () => {
    const fake = fakeSummarizer({
      contextWindow: 700,
      usage: () => ({ inputTokens: 2000, outputTokens: 10 }),
    })
    const error = await failureOf(
      summarizePlan(planOf(60, 50), fake, { limits: { maxInputTokens: 4000 }, concurrency: 1 }),
    )
    expect(error.reason).toBe('over-budget')
    expect(error.calls).toHaveLength(2)
  })

  it('report the total spent', async () => {
    const fake = fakeSummarizer({ contextWindow: 700 })
    const { cost, usage } = await summarizePlan(planOf(60, 50), fake, { limits: { prices } })
    expect(usage).toEqual({ inputTokens: 3000, outputTokens: 60 })
    expect(cost).toEqual({ amount: 0.36, currency: 'EUR', pricesOf: '2026-01-02' })
  })
})

describe('progress', () => {
  it('reports parts, tokens and cost as they grow', async () => {
    const events: ProgressEvent[] = []
    const fake = fakeSummarizer({ contextWindow: 700 })
    const prices = {
      date: '2026-01-02',
      currency: 'EUR',
      models: [{ match: '*', provider: 'x', input: 1, output: 1 }],
    }
    await summarizePlan(planOf(60, 50), fake, { limits: { prices }, report: (event) => events.push(event) })
    const steps = events.flatMap((event) => (event.step === 'summarize' ? [event] : []))
    expect(steps[0]).toEqual({
      step: 'summarize',
      summarizer: 'fake',
      tokens: 3000,
      part: { done: 0, of: 6 },
    })
    expect(steps.at(-1)).toEqual({
      step: 'summarize',
      summarizer: 'fake',
      tokens: 3000,
      part: { done: 6, of: 6 },
      usage: { inputTokens: 3000, outputTokens: 60 },
      cost: { amount: 0.00306, currency: 'EUR', pricesOf: '2026-01-02' },
    })
    const done = steps.map(({ part }) => part?.done ?? -1)
    expect(done).toEqual(done.toSorted((a, b) => a - b))
  })
})

it('always returns summaries that match the schema', async () => {
  const fake = fakeSummarizer({ contextWindow: 700 })
  const { summary } = await summarizePlan(planOf(60, 50), fake)
  expect(sessionSummarySchema.safeParse(summary).error).toBeUndefined()
})
