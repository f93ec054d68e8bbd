import { expect, it } from 'vitest'
import { halfSipHash } from '../../src/readers/shared/text-set.ts'

// From a second implementation, over bytes, whose variant with two and four rounds gives the vectors of the authors.
it.each([
  ['', '21d0a576', '2af72023'],
  ['\u0100\u0302\u0504', 'c6e065af', '02d6f54d'],
])('hashes the code units of %j as two bytes each', (text, low, high) => {
  const hash = halfSipHash(text, 0x03020100, 0x07060504)
  expect(hash).toEqual({ low: Number.parseInt(low, 16), high: Number.parseInt(high, 16) })
})

it('depends on each character and on the key', () => {
  const texts = ['a', 'b', 'ab', 'ba', 'aba', 'abb', 'ab\0', `${'a'.repeat(100)}b`, `${'a'.repeat(100)}c`]
  const hashes = texts.flatMap((text) => [halfSipHash(text, 1, 2), halfSipHash(text, 2, 1)])
  expect(new Set(hashes.map(({ low }) => low)).size).toBe(hashes.length)
  expect(new Set(hashes.map(({ high }) => high)).size).toBe(hashes.length)
})
