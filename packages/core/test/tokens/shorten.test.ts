import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { shorten } from '../../src/tokens/shorten.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'

const counter = tiktokenCounter()

describe('shorten', () => {
  it('keeps a text that fits', () => {
    expect(shorten('a short text', 10, counter)).toBe('a short text')
  })

  it('keeps both ends of a long text and gives the size of the omitted part', () => {
    const text = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ')
    const short = shorten(text, 40, counter)
    expect(short).toMatch(/^word0 .* \[…\d+\] .*word199$/)
    const gone = Number(/\[…(\d+)\]/.exec(short)?.[1])
    const kept = counter.count(short.replace(/ \[…\d+\] /, ' '))
    expect(gone + kept).toBeGreaterThan(counter.count(text) * 0.98)
    expect(gone + kept).toBeLessThan(counter.count(text) * 1.02)
  })

  it('keeps something of a text whose end takes many more tokens than its beginning', () => {
    const text = `${'Plain words of a record. '.repeat(24)}${'𐀀 ᎀ'.repeat(14)}`
    for (let limit = 40; limit <= 180; limit++) expect(shorten(text, limit, counter), `${limit}`).not.toBe('')
  })

  it('never exceeds its limit and never splits a character', () => {
    const texts = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('🎉🎉🎉', '数据数据', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa'),
        ),
      )
      .map((parts) => parts.join(' '))
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 60 }), (text, limit) => {
        const short = shorten(text.toWellFormed(), limit, counter)
        expect(counter.count(short)).toBeLessThanOrEqual(limit)
        expect(short.isWellFormed()).toBe(true)
      }),
      { numRuns: 500, seed: seedOf(1) },
    )
  })

  it('gives up if not even the mark fits', () => {
    expect(shorten('one two three four five six seven eight nine ten', 3, counter)).toBe('')
  })
})
