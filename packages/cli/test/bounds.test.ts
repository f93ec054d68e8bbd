import type { SummarizerCall } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { spentText } from '../src/compress/compress-report.ts'
import { timeLimit } from '../src/options/parsers.ts'

describe('a time limit', () => {
  it.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
  ])('can be %s', (value, milliseconds) => {
    expect(timeLimit(value)).toBe(milliseconds)
  })

  it.each(['', '0s', '10', '1.5h', '2d', '-3m', 's'])('cannot be %j', (value) => {
    expect(() => timeLimit(value)).toThrow('expected seconds, minutes or hours such as 90s, 10m or 2h')
  })
})

describe('the report of spending', () => {
  const call = (usage: SummarizerCall['usage'], more: Partial<SummarizerCall> = {}): SummarizerCall => ({
    summarizer: 'anthropic',
    model: 'claude-opus-5-5',
    usage,
    ...more,
  })
  const whole = { inputTokens: 100_000, outputTokens: 2000 }

  it('names every call, including failed ones', () => {
    const calls = [
      call(whole),
      call(whole, { error: 'truncated: cut' }),
      call({}, { error: 'overloaded: 529' }),
    ]
    expect(spentText(calls)).toBe('3 calls · 200,000 tokens in, 4,000 out · 0.8800 USD')
  })

  it('gives a lower bound if a call did not report everything', () => {
    const calls = [call(whole), call({}, { error: 'server-error: boom', begun: true })]
    expect(spentText(calls)).toBe('2 calls · at least 100,000 tokens in, 2,000 out · at least 0.4400 USD')
    expect(spentText([call({}, { model: 'own' })])).toBe('1 call · at least 0 tokens in, 0 out')
  })

  it('is empty without a call', () => {
    expect(spentText([])).toBeUndefined()
  })
})
