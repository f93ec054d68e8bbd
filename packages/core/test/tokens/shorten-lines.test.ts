import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { shortenLines } from '../../src/tokens/shorten-lines.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'

/** One token for each word. */
const words: TokenCounter = { name: 'words', count: (text) => text.split(/\s+/).filter(Boolean).length }

const line = (name: string, length: number) => Array.from({ length }, (_, at) => `${name}${at}`).join(' ')

describe('shortenLines', () => {
  it('cuts only the long lines, each by itself', () => {
    const text = [line('a', 60), line('b', 10), line('c', 60)].join('\n')
    const short = shortenLines(text, 70, words).split('\n')
    expect(short).toHaveLength(3)
    expect(short[0]).toMatch(/^a0 a1 .*\[…\d+\]/)
    expect(short[1]).toBe(line('b', 10))
    expect(short[2]).toMatch(/^c0 c1 .*\[…\d+\]/)
  })

  it('keeps the first lines and the last one if there is no room for all, and marks the gap', () => {
    const text = [line('a', 30), line('b', 30), line('c', 30), line('d', 8)].join('\n')
    const short = shortenLines(text, 34, words).split('\n')
    expect(short[0]).toMatch(/^a0 a1/)
    expect(short[1]).toMatch(/^\[…\d+\]$/)
    expect(short.at(-1)).toBe(line('d', 8))
    expect(short.join(' ')).not.toMatch(/b0|c0/)
  })

  it('leaves a text that fits, and never exceeds the limit', () => {
    const counter = tiktokenCounter()
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 40 })), fc.integer({ min: 0, max: 150 }), (lines, limit) => {
        const text = lines.join('\n')
        const short = shortenLines(text, limit, counter)
        expect(counter.count(short)).toBeLessThanOrEqual(limit)
        if (counter.count(text) <= limit) expect(short).toBe(text)
      }),
      { numRuns: 60, seed: seedOf(31) },
    )
  })
})
