import { type SummarizerCall, SummarizerError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { answeringWith, testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type AnthropicSummarizerOptions, anthropicSummarizer } from '../../src/anthropic/index.ts'
import { billed, summaryRequest as request } from '../support/ask.ts'

const server = testStandIn('all')

function claude(options: Partial<AnthropicSummarizerOptions> = {}) {
  return anthropicSummarizer({
    model: 'claude-opus-5-5',
    apiKey: 'sk-ant-test-0123456789',
    baseURL: server.url,
    sleep: async () => {},
    ...options,
  })
}

const always = (scenario: ScenarioLike) => claude({ headers: answeringWith(scenario) })

describe('anthropicSummarizer', () => {
  it('has its defaults', () => {
    expect(claude()).toMatchObject({ name: 'anthropic', model: 'claude-opus-5-5', incremental: true })
    const { maxOutputTokens = 0, cacheWriteTokens } = claude().estimate?.(request) ?? {}
    expect(maxOutputTokens).toBeGreaterThan(6000)
    expect(maxOutputTokens).toBeLessThan(32_000)
    expect(cacheWriteTokens).toBe(0)
    const cached = claude({ maxOutputTokens: 20_000, extra: { cache_control: { type: 'ephemeral' } } })
    expect(cached.estimate?.(request)).toMatchObject({ maxOutputTokens: 20_000 })
    expect(cached.estimate?.(request)).not.toHaveProperty('cacheWriteTokens')
    const window = claude().contextWindow ?? 0
    expect(window).toBeGreaterThan(80_000)
    expect(window).toBeLessThan((200_000 - 32_000) / 1.5)
    expect(claude({ contextWindow: 1_000_000 }).contextWindow).toBeGreaterThan(400_000)
    expect(claude({ maxInputTokens: 100_000 }).contextWindow).toBeLessThan(100_000 / 1.5)
  })

  it('loses no billed call: failures, a repair and the answer', async () => {
    server.script([
      { scenario: 'status', code: 529 },
      { scenario: 'stream_no_stop' },
      { scenario: 'bad_schema' },
      { scenario: 'ok', cacheRead: 3 },
    ])
    const before = server.bill.length
    const told: SummarizerCall[] = []
    const { calls } = await claude().summarize(request, {
      signal: new AbortController().signal,
      onCall: (call) => told.push(call),
    })
    expect(calls).toEqual(told)
    expect(calls.map(({ usage }) => usage)).toEqual([{}, ...server.bill.slice(before).map(billed)])
    expect(calls.map(({ requestId }) => requestId).slice(1)).toEqual(
      server.bill.slice(before).map(({ requestId }) => requestId),
    )
  })

  it.each([
    ['spend_limit', 'spend-limit', 1],
    [401, 'auth', 1],
    ['refusal', 'refused', 1],
    [{ scenario: 'status', code: 429, retryAfter: 3600 }, 'rate-limited', 1],
    [529, 'overloaded', 5],
  ] as const)('gives up after %j', async (scenario, reason, tries) => {
    const before = server.requests.length
    const summarizer = always(
      typeof scenario === 'number' ? { scenario: 'status', code: scenario } : scenario,
    )
    const pending = summarizer.summarize(request, { signal: new AbortController().signal })
    const error = await pending.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(SummarizerError)
    expect(error).toMatchObject({ reason })
    expect((error as SummarizerError).calls).toHaveLength(tries)
    expect(server.requests.length - before).toBe(tries)
  })
})
