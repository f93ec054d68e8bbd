import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { trimmedTokens } from '../../src/plan/trimmed-tokens.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'

const counter = tiktokenCounter()
const inPieces = fc.array(
  fc.constantFrom(
    'a',
    'word',
    ' ',
    '\t',
    '\n',
    '\n\n',
    '/',
    '//',
    '{}',
    '12',
    '中',
    "'s",
    '…',
    '\r\n',
    '.',
    '    ',
  ),
  {
    maxLength: 24,
  },
)

describe('trimmedTokens', () => {
  it.each(['o200k_base', 'cl100k_base'] as const)('are the tokens of the trimmed text in %s', (encoding) => {
    const own = tiktokenCounter(encoding)
    fc.assert(
      fc.property(inPieces, (pieces) => {
        const text = pieces.join('')
        expect(trimmedTokens(text, own.count(text), own)).toBe(own.count(text.trim()))
      }),
      { numRuns: 1000, seed: seedOf(17) },
    )
  })

  it('count only the lines at the ends', () => {
    let counted = 0
    const seen = {
      ...counter,
      count: (part: string) => {
        counted += part.length
        return counter.count(part)
      },
    }
    const text = `   1 first\n${'   2 a line\n'.repeat(1000)}   3 last\n`
    expect(trimmedTokens(text, counter.count(text), seen)).toBe(counter.count(text.trim()))
    expect(counted).toBeLessThan(100)
    counted = 0
    trimmedTokens(text, counter.count(text), { ...seen, linesAddUp: false })
    expect(counted).toBe(text.trim().length)
  })
})
