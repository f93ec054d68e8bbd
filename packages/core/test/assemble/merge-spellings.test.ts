import { describe, expect, it } from 'vitest'
import { mergeSpellings } from '../../src/assemble/merge-spellings.ts'
import type { Identifier } from '../../src/facts/facts.ts'

const path = (text: string, count: number, last: Identifier['last'] = 'e9'): Identifier => ({
  kind: 'path',
  text,
  count,
  first: 'e1',
  last,
})
const shortOf = (...all: Identifier[]) =>
  mergeSpellings(all, '/home/dev/orbit')
    .map(({ text, count, last }) => [text, count, last])
    .sort()

describe('mergeSpellings', () => {
  it('joins the spellings of a file to its name, with all their uses', () => {
    expect(
      shortOf(
        path('/home/dev/orbit/src/queue/reader_state.ts', 2, 'e12'),
        path('src/queue/reader_state.ts', 3, 'e40'),
        path('b/src/queue/reader_state.ts', 1),
        path('reader_state.ts', 1),
      ),
    ).toEqual([['reader_state.ts', 7, 'e40']])
  })

  it('keeps the folder of files that have the same name, or a short one', () => {
    expect(
      shortOf(
        path('src/queue/index.ts', 2),
        path('src/cache/index.ts', 2),
        path('packages/core/src/readers/state.go', 2),
      ),
    ).toEqual([
      ['src/cache/index.ts', 2, 'e9'],
      ['src/queue/index.ts', 2, 'e9'],
      ['src/readers/state.go', 2, 'e9'],
    ])
  })

  it('leaves folders and all other names as they are', () => {
    const symbol = { ...path('readerState', 4), kind: 'symbol' as const }
    expect(shortOf(path('/home/dev/orbit/src/queue/', 2), symbol)).toEqual([
      ['readerState', 4, 'e9'],
      ['src/queue/', 2, 'e9'],
    ])
  })
})
