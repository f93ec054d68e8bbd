import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { formatItem, parseItem } from '../../src/bundle/markdown-items.ts'
import { parseBundle } from '../../src/bundle/schema.ts'
import { InvalidBundleError } from '../../src/errors.ts'
import { arbitraryBundle, line } from '../support/arbitrary-bundle.ts'

describe('bundle Markdown', () => {
  // In parts: all together take longer than one test may on a busy machine.
  it.each([1, 10, 20, 30, 40])('gives back every valid bundle, seed %i', (seed) => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const valid = parseBundle(bundle)
        expect(bundleFromMarkdown(bundleToMarkdown(valid))).toEqual(valid)
      }),
      { numRuns: repeats({ few: 25, all: 100 }), seed: seedOf(seed) },
    )
  })

  it('is the same text after a round trip, so that Git sees no churn', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const markdown = bundleToMarkdown(bundle)
        expect(bundleToMarkdown(bundleFromMarkdown(markdown))).toBe(markdown)
      }),
      { numRuns: repeats({ few: 50, all: 200 }), seed: seedOf(2) },
    )
  })

  it('survives an editor that writes CRLF', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        expect(bundleFromMarkdown(bundleToMarkdown(bundle).replaceAll('\n', '\r\n'))).toEqual(bundle)
      }),
      { numRuns: repeats({ few: 25, all: 100 }), seed: seedOf(3) },
    )
  })

  it('reads item lines with any values', () => {
    const fields = fc.array(fc.tuple(fc.constantFrom('why', 'from', 'over'), line), { maxLength: 4 })
    const evidence = fc.array(fc.constantFrom('e1', 'e22', 'e333'), { maxLength: 3 })
    fc.assert(
      fc.property(line, fields, evidence, fc.boolean(), (main, list, ids, unverified) => {
        const item = { main, fields: list, evidence: ids, unverified }
        expect(parseItem(formatItem(item))).toEqual(item)
      }),
      { numRuns: 2000, seed: seedOf(4) },
    )
  })

  it.each([
    ['no front matter', '# hello', 'front matter'],
    [
      'an unknown section',
      '---\ntenfold: 1\nlog: 1 bytes, 1 files, 1 events\ntokens: 1 -> 1 x, read 1\n---\n\n## Secrets\n- x\n',
      'unknown section',
    ],
    [
      'a broken item',
      '---\ntenfold: 1\nlog: 1 bytes, 1 files, 1 events\ntokens: 1 -> 1 x, read 1\n---\n\n## Files\nnope\n',
      'begins with',
    ],
    ['missing sizes', '---\ntenfold: 1\n---\n', 'log: N bytes'],
  ])('refuses %s and gives the reason', (_, markdown, words) => {
    expect(() => bundleFromMarkdown(markdown)).toThrow(InvalidBundleError)
    expect(() => bundleFromMarkdown(markdown)).toThrow(words)
  })
})
