import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { loadEncoding, toJsPattern } from '../src/encoding.ts'
import { openPackedEncoding, packEncoding } from '../src/packed-encoding.ts'

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
  ] as const)('finds all tokens of %s by rank, and is loaded once', (name, size) => {
    const { ranks } = loadEncoding(name)
    const file = createRequire(import.meta.url)(`tiktoken/encoders/${name}.json`)
    const tokens = file.bpe_ranks
      .split('\n')
      .flatMap((line: string) => line.split(' ').slice(2))
      .map((token: string) => Buffer.from(token, 'base64').toString('latin1'))
    expect(ranks.size).toBe(size)
    const found = tokens.map((token: string) => ranks.rankOf(`<${token}>`, 1, token.length + 1))
    expect(found).toEqual(Array.from({ length: size }, (_, rank) => rank))
    for (let byte = 0; byte < 256; byte++)
      expect(ranks.rankOf(String.fromCharCode(byte), 0, 1)).toBeGreaterThanOrEqual(0)
    expect(loadEncoding(name)).toBe(loadEncoding(name))
  })

  it('finds nothing but tokens', () => {
    const { ranks } = loadEncoding('o200k_base')
    for (const text of ['', 'zqx', ' zqxj', '\u00ff\u00ff\u00ff', 'word'.repeat(50)])
      expect(ranks.rankOf(text, 0, text.length), text).toBe(-1)
  })

  it('reads what it packed wherever its bytes are in memory', () => {
    const file = { pat_str: '\\S+', bpe_ranks: '! 0 YQ== Yg==\n! 2 YWI=' }
    const packed = packEncoding(file)
    const moved = new Uint8Array(packed.length + 1)
    moved.set(packed, 1)
    for (const bytes of [packed, moved.subarray(1)]) {
      const { pattern, size, rankOf } = openPackedEncoding(bytes)
      expect({ pattern, size }).toEqual({ pattern: '\\S+', size: 3 })
      expect(['a', 'b', 'ab', 'ba'].map((text) => rankOf(text, 0, text.length))).toEqual([0, 1, 2, -1])
    }
  })
})
