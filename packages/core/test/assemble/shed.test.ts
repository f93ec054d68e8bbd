import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shedLists } from '../../src/assemble/shed.ts'
import { bundleToMarkdown } from '../../src/bundle/markdown.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'
import { arbitraryBundle } from '../support/arbitrary-bundle.ts'

const characters: TokenCounter = { name: 'characters', count: (text) => text.length }

describe('shedLists', () => {
  it('keeps all where there is room, and says that nothing was left out', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const all = shedLists(bundle, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, characters)
        expect(all).toEqual({ bundle, shed: [] })
      }),
      { numRuns: 100, seed: 21 },
    )
  })

  it('reaches every list, and counts what it leaves out', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const { bundle: bare, shed } = shedLists(bundle, 0, 0, characters)
        const items = (markdown: string) =>
          markdown
            .split('\n## Trail')[0]
            ?.split('\n')
            .filter((line) => line.startsWith('- ')).length ?? 0
        const listed = {
          ...bundle,
          trail: [],
          validation: undefined,
          compression: { ...bundle.compression, calls: [] },
        }
        const texts = {
          summary: '',
          resumeInstructions: '',
          plan: undefined,
          progress: undefined,
          research: undefined,
        }
        const before = items(bundleToMarkdown({ ...listed, ...texts } as typeof bundle))
        const left = items(
          bundleToMarkdown({
            ...bare,
            ...texts,
            trail: [],
            validation: undefined,
            compression: listed.compression,
          } as typeof bundle),
        )
        expect(left).toBe(0)
        expect(shed.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(before)
      }),
      { numRuns: 200, seed: 22 },
    )
  })

  it('takes no more than the budget', () => {
    fc.assert(
      fc.property(arbitraryBundle, fc.integer({ min: 50, max: 3000 }), (bundle, budget) => {
        const { bundle: some } = shedLists(bundle, budget, budget, characters)
        const bare = shedLists(bundle, 0, 0, characters).bundle
        const grown = bundleToMarkdown(some).length - bundleToMarkdown(bare).length
        // Headings and blank lines are reckoned at four characters a list here.
        expect(grown).toBeLessThanOrEqual(budget + 24 * 20)
      }),
      { numRuns: 200, seed: 23 },
    )
  })
})
