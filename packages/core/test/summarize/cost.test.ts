import { describe, expect, it } from 'vitest'
import { defaultPrices, parsePriceTable, priceOf } from '../../src/summarize/cost/prices.ts'
import { costOf, maxCostOf, usageIsPartial } from '../../src/summarize/cost/spending.ts'
import type { SummarizerCall } from '../../src/summarize/summarizer.ts'

function call(
  model: string,
  usage: SummarizerCall['usage'],
  more: Partial<SummarizerCall> = {},
): SummarizerCall {
  return { summarizer: 'test', model, usage, ...more }
}

const amount = (...calls: SummarizerCall[]) => costOf(calls, defaultPrices)?.amount

describe('costOf', () => {
  it('prices input and output by the million tokens, with the date of the prices', () => {
    const calls = [call('claude-opus-5-5', { inputTokens: 100_000, outputTokens: 2000 })]
    expect(costOf(calls, defaultPrices)).toEqual({ amount: 0.44, currency: 'USD', pricesOf: '2026-11-20' })
  })

  it('sums over calls, rounded to six decimals', () => {
    const small = call('claude-haiku-5-5', { inputTokens: 1, outputTokens: 0 })
    expect(amount(small)).toBe(0)
    expect(amount(...Array.from({ length: 33 }, () => small))).toBe(0.000003)
  })

  it('prices cache reads and cache writes', () => {
    const usage = {
      inputTokens: 1_000_000,
      outputTokens: 0,
      cacheReadTokens: 600_000,
      cacheWriteTokens: 300_000,
    }
    expect(amount(call('claude-sonnet-5-5', usage))).toBe(0.6 * 0.2 + 0.3 * 2.5 + 0.1 * 2)
    // No cache price is known, so it is priced as input.
    expect(amount(call('gpt-6-luna', usage))).toBe(0.1)
  })

  it('applies the higher prices to the whole call if the input, cache included, is above the limit', () => {
    const model = 'claude-haiku-5-5'
    expect(amount(call(model, { inputTokens: 100_000, outputTokens: 1000 }))).toBe(0.0105)
    expect(amount(call(model, { inputTokens: 100_001, outputTokens: 1000 }))).toBe(0.052501)
    expect(amount(call(model, { inputTokens: 200_000, cacheReadTokens: 200_000, outputTokens: 0 }))).toBe(
      0.01,
    )
    expect(amount(call('gpt-6-sol', { inputTokens: 300_000, outputTokens: 1000 }))).toBe(1.215)
  })

  it('halves the price of a batch', () => {
    const usage = { inputTokens: 100_000, outputTokens: 2000 }
    expect(amount(call('claude-opus-5-5', usage, { tier: 'batch' }))).toBe(0.22)
  })

  it('is a lower bound if the usage of a call is not fully known', () => {
    const known = call('claude-opus-5-5', { inputTokens: 100_000, outputTokens: 2000 })
    for (const usage of [{}, { inputTokens: 100_000 }]) {
      const cost = costOf([known, call('claude-opus-5-5', usage, { error: 'timeout' })], defaultPrices)
      expect(cost?.atLeast).toBe(true)
      expect(cost?.amount).toBe(usage.inputTokens === undefined ? 0.44 : 0.84)
    }
  })

  it('does not count a call that was rejected', () => {
    const known = call('claude-opus-5-5', { inputTokens: 100_000, outputTokens: 2000 })
    for (const error of ['auth', 'rate-limited: 429, try later', 'server-error: 500', 'prompt-too-long']) {
      expect(costOf([known, call('claude-opus-5-5', {}, { error })], defaultPrices)?.atLeast).toBeUndefined()
      expect(costOf([known, call('no-such-model', {}, { error })], defaultPrices)?.amount).toBe(0.44)
    }
    const billed = call('no-such-model', { inputTokens: 5, outputTokens: 1 }, { error: 'auth' })
    expect(costOf([known, billed], defaultPrices)).toBeUndefined()
  })

  it('is a lower bound if a call failed after its answer began', () => {
    const known = call('claude-opus-5-5', { inputTokens: 100_000, outputTokens: 2000 })
    const broken = call('claude-opus-5-5', {}, { error: 'server-error: boom', begun: true })
    expect(costOf([known, broken], defaultPrices)).toMatchObject({ amount: 0.44, atLeast: true })
    expect(usageIsPartial([known, broken])).toBe(true)
    expect(usageIsPartial([known, { ...broken, begun: false }])).toBe(false)
  })

  it('is unknown without a call, and if one has no price', () => {
    expect(costOf([], defaultPrices)).toBeUndefined()
    const usage = { inputTokens: 1, outputTokens: 1 }
    expect(costOf([call('claude-opus-5-5', usage), call('own-model', usage)], defaultPrices)).toBeUndefined()
    expect(costOf([{ summarizer: 'test', usage }], defaultPrices)).toBeUndefined()
  })

  it('is zero for a local model', () => {
    const local = { ...call('llama3', { inputTokens: 5 }), summarizer: 'ollama' }
    expect(costOf([local], defaultPrices)).toEqual({ amount: 0, currency: 'USD', pricesOf: '2026-11-20' })
  })
})

describe('maxCostOf', () => {
  it('is the cost of a call whose input is all written to the cache and whose output is all used', () => {
    const estimate = {
      summarizer: 'test',
      model: 'claude-opus-5-5',
      inputTokens: 100_000,
      maxOutputTokens: 2000,
    }
    expect(maxCostOf(estimate, defaultPrices)).toBeCloseTo(0.54)
    expect(maxCostOf({ ...estimate, cacheWriteTokens: 0 }, defaultPrices)).toBeCloseTo(0.44)
    expect(maxCostOf({ ...estimate, tier: 'batch' }, defaultPrices)).toBeCloseTo(0.27)
    expect(maxCostOf({ ...estimate, model: 'gpt-6-luna' }, defaultPrices)).toBeCloseTo(0.011)
    expect(maxCostOf({ ...estimate, model: 'own' }, defaultPrices)).toBeUndefined()
  })
})

describe('priceOf', () => {
  const row = (match: string, input: number) => ({ match, provider: 'x', input, output: 0 })
  const prices = {
    date: '2026-01-01',
    currency: 'USD',
    models: [row('a-b*', 2), row('a-b-c', 3), row('a*', 1)],
  }
  const priceIn = (model: string) => priceOf({ summarizer: 'test', model }, prices)?.input

  it('returns the row of the name, otherwise the one with the longest matching beginning', () => {
    expect(priceIn('a-b-c')).toBe(3)
    expect(priceIn('a-b-c-20260102')).toBe(3)
    expect(priceIn('a-b-c-2026-01-02')).toBe(3)
    expect(priceIn('a-b-cd')).toBe(2)
    expect(priceIn('ax')).toBe(1)
    expect(priceIn('b')).toBeUndefined()
  })

  it('does not confuse a variant of a model with the model', () => {
    expect(priceOf({ summarizer: 'openai', model: 'gpt-6-sol-pro' }, defaultPrices)).toBeUndefined()
  })
})

describe('parsePriceTable', () => {
  it('reads tables of the shape of defaultPrices', () => {
    expect(parsePriceTable(JSON.stringify(defaultPrices))).toEqual(defaultPrices)
  })

  it('reports what is wrong', () => {
    expect(() => parsePriceTable('{')).toThrow('the price table is not JSON')
    expect(() => parsePriceTable('{"date":"2026-01-01","currency":"usd","models":[]}')).toThrow(
      'currency: expected three capital letters',
    )
    const models = [{ match: 'a', provider: 'b', input: -1, output: 1 }]
    expect(() => parsePriceTable(JSON.stringify({ date: '2026-01-01', currency: 'USD', models }))).toThrow(
      'models.0.input',
    )
    expect(() => parsePriceTable('null')).toThrow('price table')
  })
})
