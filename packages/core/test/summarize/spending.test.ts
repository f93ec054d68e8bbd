import { describe, expect, it } from 'vitest'
import { trackSpending } from '../../src/summarize/cost/spending.ts'
import type { CallEstimate, SummarizerCall } from '../../src/summarize/summarizer.ts'
import { SummarizerError } from '../../src/summarize/summarizer-error.ts'

const prices = {
  date: '2026-01-02',
  currency: 'USD',
  models: [{ match: 'm', provider: 'x', input: 1000, output: 1000 }],
}
const estimate = (inputTokens: number, more: Partial<CallEstimate> = {}): CallEstimate => ({
  summarizer: 's',
  model: 'm',
  inputTokens,
  maxOutputTokens: 100,
  ...more,
})
const call = (usage: SummarizerCall['usage'], error?: string): SummarizerCall => ({
  summarizer: 's',
  model: 'm',
  usage,
  ...(error === undefined ? {} : { error }),
})

function refusal(act: () => void): string {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(SummarizerError)
    expect((error as SummarizerError).reason).toBe('over-budget')
    return (error as SummarizerError).message
  }
  return 'allowed'
}

describe('trackSpending', () => {
  it('allows everything without limits', () => {
    const spending = trackSpending()
    expect(refusal(() => spending.admit(estimate(1e12, { model: 'unknown' })))).toBe('allowed')
  })

  it('reports which limit was reached, by what, and what to do', () => {
    const spending = trackSpending({ maxCost: 0.5, maxInputTokens: 1000, prices })
    expect(refusal(() => spending.planned([estimate(300), estimate(200)]))).toBe(
      'maxCost 0.5 USD does not allow 2 calls of up to 0.7 USD: raise it, or use a cheaper model or a summarizer that calls none',
    )
    expect(refusal(() => spending.admit(estimate(1001)))).toBe(
      'maxInputTokens 1000 does not allow a call of about 1001 input tokens: raise it, or use a summarizer that calls no model',
    )
    expect(refusal(() => spending.planned([]))).toBe('allowed')
  })

  it('plans without reserving', () => {
    const spending = trackSpending({ maxInputTokens: 100 })
    for (let round = 0; round < 3; round++) spending.planned([estimate(100)])
    spending.admit(estimate(100))
  })

  it('counts a running call by its estimate, and a finished one by its usage', () => {
    const spending = trackSpending({ maxInputTokens: 1000 })
    spending.admit(estimate(600))
    expect(refusal(() => spending.admit(estimate(500)))).toContain('after 600 spent or under way')
    spending.record(call({ inputTokens: 400, outputTokens: 1 }))
    spending.admit(estimate(600))
    expect(refusal(() => spending.admit(estimate(1)))).not.toBe('allowed')
  })

  it('assumes that a call of unknown usage took all it could, unless it was rejected', () => {
    const unknown = trackSpending({ maxInputTokens: 1000, maxCost: 1, prices })
    unknown.admit(estimate(600))
    unknown.record(call({}, 'timeout'))
    expect(refusal(() => unknown.admit(estimate(500)))).toContain('after 600 spent')

    const away = trackSpending({ maxInputTokens: 1000, maxCost: 1, prices })
    away.admit(estimate(600))
    away.record(call({}, 'overloaded'))
    // It is not billed, but its tokens were sent all the same.
    expect(refusal(() => away.admit(estimate(500)))).toMatch(/^maxInputTokens 1000 .* after 600 spent/)
    expect(refusal(() => away.admit(estimate(400)))).toBe('allowed')

    const denied = trackSpending({ maxInputTokens: 1000 })
    denied.admit(estimate(600))
    denied.record(call({}, 'auth: no key'))
    expect(refusal(() => denied.admit(estimate(1000)))).toBe('allowed')

    const half = trackSpending({ maxCost: 1, prices })
    half.admit(estimate(600))
    half.record(call({ inputTokens: 600 }))
    expect(refusal(() => half.admit(estimate(300)))).toContain('after 0.7 spent')
  })

  it('ignores a count that is far below what was sent', () => {
    const spending = trackSpending({ maxInputTokens: 1000 })
    spending.admit(estimate(600))
    spending.record(call({ inputTokens: 10, outputTokens: 5 }, 'prompt-too-long: cut'))
    expect(refusal(() => spending.admit(estimate(500)))).toContain('after 600 spent')
  })

  it('counts the possible cost of a call that failed after its answer began', () => {
    const spending = trackSpending({ maxCost: 1, prices })
    spending.admit(estimate(600))
    spending.record({ ...call({}, 'server-error: boom'), begun: true })
    expect(refusal(() => spending.admit(estimate(300)))).toContain('after 0.7 spent')
  })

  it('refuses a cost limit for a model without a price', () => {
    const spending = trackSpending({ maxCost: 10, prices })
    const message = 'no price is known for model other: give one with prices, or leave maxCost out'
    expect(refusal(() => spending.admit(estimate(1, { model: 'other' })))).toBe(message)
    expect(refusal(() => spending.planned([estimate(1, { model: 'other' })]))).toBe(message)
  })

  it('refuses invalid limits', () => {
    expect(() => trackSpending({ maxCost: -1 })).toThrow('expected maxCost of at least 0, got -1')
    expect(() => trackSpending({ maxInputTokens: Number.NaN })).toThrow(RangeError)
  })
})
