import { expect, it } from 'vitest'
import { heapInUse } from '../../core/test/support/heap.ts'
import { copyText } from '../src/copy-text.ts'

it.each([
  ['nothing', ''],
  ['ASCII', 'const a = 1'],
  ['Latin-1', 'naïve café ÿ'],
  ['other scripts', 'kiln → 窯 🫖'],
  ['half of a surrogate pair', 'a \ud83e'],
])('a copy is the same text: %s', (_, text) => {
  expect(copyText(text)).toBe(text)
})

it('copies keep no longer text in memory, and take one byte per character', () => {
  const before = heapInUse()
  const copies = Array.from({ length: 50 }, (_, index) => {
    const text = `${index} ${'some words '.repeat(20_000)}`
    return copyText(text.slice(1, 20_001))
  })
  const taken = heapInUse() - before
  expect(copies.length).toBe(50)
  expect(taken).toBeLessThan(1_700_000)
})
