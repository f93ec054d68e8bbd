import { afterEach, describe, expect, it, vi } from 'vitest'
import { everyPoint } from '../../../../test/support/repeats.ts'
import { counterCases } from '../../src/testing/counter-cases.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'

const estimate: TokenCounter = { name: 'bytes/4', count: (text) => Math.ceil(Buffer.byteLength(text) / 4) }

for (const counter of [tiktokenCounter(), tiktokenCounter('cl100k_base'), estimate]) {
  describe(`${counter.name} keeps the laws of a token counter`, () => {
    // The same code merges both encodings, and `tiktoken-counter.test.ts` limits its time: in `npm test` neither
    // counts megabytes here.
    const isQuick = everyPoint ? counter.name !== 'cl100k_base' : counter === estimate
    const cases = counterCases.filter(({ name }) => isQuick || !/megabyte/.test(name))
    for (const { name, run } of cases) it(name, () => run(counter))
  })
}

/** A counter that is correct except for the one fault of its case. */
const saboteurs: Record<string, () => TokenCounter> = {
  'has a name of one line without blanks at its ends': () => ({ ...estimate, name: '' }),
  'counts the empty text as 0': () => ({ ...estimate, count: (text) => Math.max(1, estimate.count(text)) }),
  'gives whole numbers from 0 up': () => ({ ...estimate, count: (text) => Buffer.byteLength(text) / 4 }),
  'counts any string, lone surrogates and control characters included': () => ({
    ...estimate,
    count(text) {
      encodeURIComponent(text)
      return estimate.count(text)
    },
  }),
  'counts special tokens as plain text': () => ({
    ...estimate,
    count: (text) => estimate.count(text.replaceAll(/<\|\w+\|>/g, '!')),
  }),
  'gives the same number for the same text, no matter what was counted in between': () => {
    let calls = 0
    return { ...estimate, count: (text) => estimate.count(text) + (++calls > 1000 ? 1 : 0) }
  },
  'grows with the text': () => ({ ...estimate, count: (text) => Math.min(estimate.count(text), 500) }),
  'never counts much more than one token per UTF-8 byte': () => ({
    ...estimate,
    count: (text) => text.length * 7,
  }),
  'counts a joined text no higher than its parts': () => ({
    ...estimate,
    count: (text) => estimate.count(text) + Math.max(0, text.length - 90),
  }),
  'counts a megabyte of one character quickly': () => {
    let spent = 0
    const since = (before?: NodeJS.CpuUsage) => ({ user: spent - (before?.user ?? 0), system: 0 })
    vi.spyOn(process, 'cpuUsage').mockImplementation(since)
    return {
      ...estimate,
      count(text) {
        spent += (text.length / 2 ** 16) ** 2 * 200_000
        return estimate.count(text)
      },
    }
  },
}
afterEach(() => vi.restoreAllMocks())

describe('each case catches its saboteur', () => {
  it('has exactly one saboteur', () => {
    expect(Object.keys(saboteurs)).toEqual(counterCases.map(({ name }) => name))
  })

  for (const { name, run } of counterCases) {
    it(name, () => {
      const saboteur = saboteurs[name]
      if (saboteur === undefined) throw new Error(`no saboteur for: ${name}`)
      expect(() => run(saboteur())).toThrow()
    })
  }
})
