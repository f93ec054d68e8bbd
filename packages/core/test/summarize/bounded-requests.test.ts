import { describe, expect, it } from 'vitest'
import { summarizePlan } from '../../src/summarize/summarize-plan.ts'
import type { SummaryRequest } from '../../src/summarize/summarizer.ts'
import { SummarizerError } from '../../src/summarize/summarizer-error.ts'
import { fakeSummarizer, planOf, words } from './fake-summarizer.ts'

const tokensOf = (requests: readonly SummaryRequest[]) =>
  requests.flatMap(({ items }) => items).reduce((sum, { text }) => sum + words.count(text), 0)
const offline = () => fakeSummarizer({ name: 'offline' })

describe('requests that fail because of their size', () => {
  it('stop after a few if no size is accepted, with many parts as with one', async () => {
    for (const contextWindow of [100_000, 7000]) {
      const fake = fakeSummarizer({
        contextWindow,
        estimates: true,
        beside: 5000,
        fails: () => 'prompt-too-long',
      })
      const { fallback, calls } = await summarizePlan(planOf(600, 100), [fake, offline()])
      expect(fallback).toBe('fake: prompt-too-long; offline wrote the whole')
      expect(fake.requests.length).toBeLessThan(10)
      expect(calls).toHaveLength(fake.requests.length + 1)
    }
  })

  it('are not halved if the halves would be hardly smaller', async () => {
    const fake = fakeSummarizer({ estimates: true, beside: 20_000, fails: () => 'prompt-too-long' })
    await summarizePlan(planOf(60, 100), [fake, offline()])
    expect(fake.requests).toHaveLength(1)
  })

  it('go at once in parts of the size that the server reports', async () => {
    const limit = 9000
    const fake = fakeSummarizer({
      estimates: true,
      beside: 1000,
      fails: (request) => (tokensOf([request]) + 1000 > limit ? 'prompt-too-long' : undefined),
      inputLimit: () => limit,
    })
    const { summary } = await summarizePlan(planOf(400, 100), fake)
    expect(summary.findings).toHaveLength(400)
    expect(fake.requests.length).toBeLessThan(9)
  })

  it('are not repeated for a server whose limit leaves no room for the session', async () => {
    const fake = fakeSummarizer({
      estimates: true,
      beside: 5000,
      fails: () => 'prompt-too-long',
      inputLimit: () => 10,
    })
    await summarizePlan(planOf(400, 100), [fake, offline()])
    expect(fake.requests).toHaveLength(1)
  })

  it('send no more than a few times the session if answers are always cut', async () => {
    const one = fakeSummarizer({ estimates: true, fails: () => 'truncated' })
    await summarizePlan(planOf(400, 100), [one, offline()])
    expect(one.requests).toHaveLength(3)
    expect(tokensOf(one.requests)).toBeLessThan(2 * 40_000)

    const parts = fakeSummarizer({ contextWindow: 3000, fails: () => 'truncated' })
    await summarizePlan(planOf(400, 100), [parts, offline()], { concurrency: 2 })
    expect(parts.requests.length).toBeLessThan(8)
  })

  it('are bounded if some sizes are accepted and others are not', async () => {
    const fake = fakeSummarizer({
      contextWindow: 3000,
      fails: (_, index) => (index % 2 === 1 ? 'truncated' : undefined),
    })
    await summarizePlan(planOf(400, 100), [fake, offline()])
    const parts = Math.ceil((400 * 112) / 3000)
    const failed = fake.requests.length / 2
    expect(failed).toBeLessThan(parts * 2 + 8)
    expect(tokensOf(fake.requests)).toBeLessThan(5 * 40_000)
  })

  it('try parts of the accepted size, several at a time again', async () => {
    const fake = fakeSummarizer({
      contextWindow: 4000,
      delay: () => 3,
      fails: ({ items }) => (items.length > 12 ? 'prompt-too-long' : undefined),
    })
    const { summary, fallback } = await summarizePlan(planOf(400, 100), fake, { concurrency: 4 })
    expect(summary.findings).toHaveLength(400)
    expect(fallback).toBeUndefined()
    expect(fake.requests.filter(({ items }) => items.length > 12).length).toBeLessThan(12)
    expect(fake.most).toBe(4)
  })
})

describe('the time limit of a run', () => {
  it('ends a hanging call, and leaves the rest to a summarizer that calls no model', async () => {
    const slow = fakeSummarizer({ name: 'slow', estimates: true, delay: () => 600_000 })
    const second = fakeSummarizer({ name: 'second', estimates: true })
    const { summary, fallback, calls } = await summarizePlan(planOf(20, 50), [slow, second, offline()], {
      timeoutMs: 30,
    })
    expect(summary.findings).toHaveLength(20)
    expect(fallback).toBe('slow: timeout; second: timeout; offline wrote the whole')
    expect(second.requests).toEqual([])
    expect(calls.map(({ summarizer, error }) => [summarizer, error])).toEqual([
      ['slow', 'aborted'],
      ['offline', undefined],
    ])
  })

  it('ends a summarizer that ignores its signal', async () => {
    const deaf = fakeSummarizer({ name: 'deaf', estimates: true, deaf: true, delay: () => 600_000 })
    const { fallback } = await summarizePlan(planOf(20, 50), [deaf, offline()], { timeoutMs: 30 })
    expect(fallback).toBe('deaf: timeout; offline wrote the whole')
  })

  it('fails the run if no summarizer is left, with all calls', async () => {
    const slow = fakeSummarizer({
      estimates: true,
      contextWindow: 700,
      delay: (index) => (index < 2 ? 0 : 600_000),
    })
    const error = await summarizePlan(planOf(60, 50), slow, { timeoutMs: 200 }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(SummarizerError)
    expect(error).toMatchObject({ reason: 'timeout', message: expect.stringContaining('timeoutMs') })
    expect((error as SummarizerError).calls).toHaveLength(slow.requests.length)
  })

  it('refuses an invalid time', async () => {
    for (const timeoutMs of [0, -1, Number.NaN])
      await expect(summarizePlan(planOf(3, 10), offline(), { timeoutMs })).rejects.toThrow(RangeError)
  })
})
