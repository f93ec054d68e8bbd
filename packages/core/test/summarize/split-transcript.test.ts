import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import type { TranscriptItem } from '../../src/plan/transcript-item.ts'
import { itemTokens, splitTranscript } from '../../src/summarize/parts/split-transcript.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'

const counter = tiktokenCounter()

function reading(label: string, number: number, words: number): TranscriptItem {
  return {
    event: `e${number}`,
    agent: 'main',
    turn: 1,
    type: label === 'user' ? 'user' : 'assistant',
    label,
    text: 'word '.repeat(words).trim(),
  }
}

const sizeOf = (part: readonly TranscriptItem[], by: TokenCounter = counter) =>
  part.reduce((sum, item) => sum + itemTokens(item, by), 0)

const arbitraryReading = fc
  .array(fc.tuple(fc.constantFrom('user', 'assistant', 'Bash'), fc.integer({ min: 1, max: 400 })), {
    maxLength: 60,
  })
  .map((items) => items.map(([label, words], index) => reading(label, index + 1, words)))

describe('splitTranscript', () => {
  it('returns parts within the limit that hold every item once, in order', () => {
    let many = 0
    fc.assert(
      fc.property(arbitraryReading, fc.integer({ min: 32, max: 1500 }), (items, maxTokens) => {
        const parts = splitTranscript(items, { maxTokens, counter })
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0)
          expect(sizeOf(part)).toBeLessThanOrEqual(maxTokens)
        }
        expect(parts.flat().map((item) => item.event)).toEqual(items.map((item) => item.event))
        for (const [index, item] of parts.flat().entries())
          if (itemTokens(items[index] ?? item, counter) <= maxTokens) expect(item).toBe(items[index])
        if (parts.length > 3) many++
        expect(splitTranscript(items, { maxTokens, counter })).toEqual(parts)
      }),
      { numRuns: 150, seed: seedOf(31) },
    )
    expect(many).toBeGreaterThan(20)
  })

  it('makes parts of about equal size, and not many more than necessary', () => {
    const items = Array.from({ length: 500 }, (_, index) => reading('assistant', index + 1, 30))
    const maxTokens = 2000
    const sizes = splitTranscript(items, { maxTokens, counter }).map((part) => sizeOf(part))
    expect(sizes.length).toBeLessThanOrEqual(Math.ceil(sizeOf(items) / (maxTokens * 0.9)))
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(100)
  })

  it('leaves no small rest if the parts would be exactly full', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const items = Array.from({ length: 300 }, (_, index) =>
        reading('assistant', index + 1, 20 + ((index * seed * 7919) % 61)),
      )
      const maxTokens = Math.ceil(sizeOf(items) / 9.97)
      const sizes = splitTranscript(items, { maxTokens, counter }).map((part) => sizeOf(part))
      expect(Math.min(...sizes) / Math.max(...sizes)).toBeGreaterThan(0.85)
    }
  })

  it('cuts at the beginning of a user turn if one is near', () => {
    const items = Array.from({ length: 200 }, (_, index) =>
      reading(index % 9 === 0 ? 'user' : 'assistant', index + 1, 40),
    )
    const parts = splitTranscript(items, { maxTokens: 2500, counter })
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.map((part) => part[0]?.label)).toEqual(parts.map(() => 'user'))
  })

  it('shortens an item that is larger than a part, with a mark', () => {
    const parts = splitTranscript([reading('Bash', 1, 5000), reading('user', 2, 3)], {
      maxTokens: 300,
      counter,
    })
    expect(parts).toHaveLength(2)
    expect(parts[0]?.[0]?.text).toMatch(/^word .* \[…\d+\] word .*word$/)
    expect(sizeOf(parts[0] ?? [])).toBeGreaterThan(200)
  })

  it('keeps a plan that fits whole, and makes no parts of an empty one', () => {
    const items = [reading('user', 1, 10), reading('assistant', 2, 10)]
    expect(splitTranscript(items, { maxTokens: sizeOf(items), counter })).toEqual([items])
    expect(splitTranscript([], { maxTokens: 100, counter })).toEqual([])
  })

  it('counts each text once', () => {
    let counts = 0
    const counting: TokenCounter = {
      name: 'test',
      count: (text) => {
        counts++
        return text.length
      },
    }
    splitTranscript(
      Array.from({ length: 100 }, (_, index) => reading('assistant', index + 1, 10)),
      { maxTokens: 500, counter: counting },
    )
    expect(counts).toBe(100)
  })

  it('refuses a limit that has no room for an item', () => {
    expect(() => splitTranscript([], { maxTokens: 20, counter })).toThrow(
      'expected maxTokens of at least 32, got 20',
    )
    expect(() => splitTranscript([], { maxTokens: Number.NaN, counter })).toThrow(RangeError)
  })
})
