import { describe, expect, it } from 'vitest'
import { wrapText } from '../src/terminal/table.ts'

describe('wrapText', () => {
  it('breaks between words, indents the lines that follow, and loses nothing', () => {
    expect(wrapText('note: raise it, or use a cheaper model', 16)).toEqual([
      'note: raise it,',
      '  or use a',
      '  cheaper model',
    ])
    expect(wrapText('a-word-that-is-too-long for it', 10)).toEqual(['a-word-that-is-too-long', '  for it'])
  })

  it('counts wide letters as two columns', () => {
    expect(wrapText('日本語 日本語', 12)).toEqual(['日本語', '  日本語'])
  })

  it('leaves a text whole if it fits or if there is no limit', () => {
    const long = 'word '.repeat(1000)
    expect(wrapText(long, Number.POSITIVE_INFINITY)).toEqual([long])
    expect(wrapText('short', 5)).toEqual(['short'])
  })
})
