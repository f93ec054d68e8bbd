import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { seedOf } from '../../../test/support/seed.ts'
import { rememberLines } from '../src/line-memo.ts'
import { tiktokenCounter } from '../src/tiktoken-counter.ts'
import type { TokenCounter } from '../src/token-counter.ts'

const counters = [tiktokenCounter('o200k_base'), tiktokenCounter('cl100k_base')]

describe('rememberLines', () => {
  it('gives the counts of the counter, whatever follows a line break', () => {
    const blanks = ['\n', '\r\n', '\n\n', ' ', '  ', '\t', '\u0085']
    const part = fc.constantFrom(...blanks, ...'/ // . … a É 1 - 😀'.split(' '))
    const texts = fc.array(part, { minLength: 3000, maxLength: 4000 }).map((parts) => parts.join(''))
    for (const counter of counters) {
      const remembering = rememberLines(counter)
      fc.assert(
        fc.property(texts, (text) => {
          expect(remembering.count(text)).toBe(counter.count(text))
        }),
        { seed: seedOf(20_260_110), numRuns: repeats({ few: 6, all: 20 }) },
      )
    }
  })

  it('counts a line once', () => {
    const counted: string[] = []
    const counter: TokenCounter = {
      name: 'words',
      linesAddUp: true,
      count(text) {
        counted.push(text)
        return text.split(/\s+/).length
      },
    }
    const lines = Array.from({ length: 300 }, (_, index) => `- item ${index}`)
    const remembering = rememberLines(counter)
    remembering.count(lines.join('\n'))
    counted.length = 0
    remembering.count(lines.with(7, '- another item').join('\n'))
    expect(counted).toEqual(['- another item\n'])
  })

  it('gives the same counts once it forgets lines, and keeps the last ones', () => {
    let calls = 0
    const counter: TokenCounter = {
      name: 'characters',
      linesAddUp: true,
      count: (text) => {
        calls++
        return text.length
      },
    }
    const remembering = rememberLines(counter)
    const textOf = (name: string) =>
      Array.from({ length: 60 }, (_, index) => `- ${name} ${index} ${'x'.repeat(100_000)}\n`).join('')
    const [first, second, third] = ['first', 'second', 'third'].map(textOf) as [string, string, string]
    for (const text of [first, second, third]) expect(remembering.count(text)).toBe(text.length)
    calls = 0
    expect(remembering.count(third)).toBe(third.length)
    expect(calls).toBe(0)
    expect(remembering.count(first)).toBe(first.length)
    expect(calls).toBeGreaterThan(0)
  })

  it('leaves a counter alone that does not say that lines add up', () => {
    const counter: TokenCounter = { name: 'characters', count: (text) => text.length }
    expect(rememberLines(counter)).toBe(counter)
  })
})
