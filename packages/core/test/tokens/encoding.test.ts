import { describe, expect, it } from 'vitest'
import { loadEncoding, toJsPattern } from '../../src/tokens/encoding.ts'

describe('toJsPattern', () => {
  it.each(["'s", "'S", "'\u017f", "'re", "'RE", "'k", "'\u212a"])(
    'folds the case of %s as Rust does',
    (text) => {
      expect(toJsPattern("(?i:'s|'re|'k)").test(text)).toBe(true)
    },
  )

  it('treats white space as Unicode does, not as JavaScript does', () => {
    for (const space of [' ', '\n', '\u0085', '\u00a0', '\u2028']) {
      expect(toJsPattern('\\s').test(space), JSON.stringify(space)).toBe(true)
      expect(toJsPattern('[^\\s]').test(space), JSON.stringify(space)).toBe(false)
      expect(toJsPattern('\\S').test(space), JSON.stringify(space)).toBe(false)
    }
    expect(toJsPattern('\\s').test('\ufeff')).toBe(false)
    expect(toJsPattern('\\S').test('\ufeff')).toBe(true)
  })
})

describe('loadEncoding', () => {
  it.each([
    ['o200k_base', 199_998],
    ['cl100k_base', 100_256],
  ] as const)('reads all tokens of %s by rank, once', (name, size) => {
    const { ranks } = loadEncoding(name)
    expect(ranks.size).toBe(size)
    expect([...ranks.values()]).toEqual(Array.from({ length: size }, (_, rank) => rank))
    for (let byte = 0; byte < 256; byte++) expect(ranks.has(String.fromCharCode(byte))).toBe(true)
    expect(loadEncoding(name)).toBe(loadEncoding(name))
  })
})
