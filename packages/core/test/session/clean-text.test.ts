import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { cleanLine, isCleanLine } from '../../src/session/clean-text.ts'

describe('isCleanLine', () => {
  it('is true for the texts that cleanLine leaves as they are', () => {
    const piece = fc.constantFrom(
      'a',
      'ä b',
      '中',
      ' ',
      '\u00a0',
      '\t',
      '\n',
      '\r',
      '\u001b[1m',
      '\ufeff',
      '\u202e',
      '🙂',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = pieces.join('')
        expect(isCleanLine(text)).toBe(cleanLine(text) === text)
      }),
      { numRuns: 1000, seed: seedOf(23) },
    )
  })
})

describe('cleanLine', () => {
  it('takes a line of any length', () => {
    const line = `${'ab '.repeat(5_000_000)}c`
    expect(cleanLine(line) === line).toBe(true)
    expect(cleanLine(` ${line}\t`) === line).toBe(true)
  })
})
