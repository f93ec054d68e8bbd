import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { everyPoint, repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { formatItem } from '../../src/bundle/item-line.ts'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { parseBundle } from '../../src/bundle/parse-bundle.ts'
import { parseItem } from '../../src/bundle/section-lines.ts'
import { InvalidBundleError } from '../../src/errors.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { arbitraryBundle, line } from '../support/arbitrary-bundle.ts'

describe('bundle Markdown', () => {
  // In parts: all together take longer than one test may on a busy machine.
  it.each(everyPoint ? [1, 10, 20, 30, 40] : [1])('restores every valid bundle, seed %i', (seed) => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const valid = parseBundle(bundle)
        expect(bundleFromMarkdown(bundleToMarkdown(valid))).toEqual(valid)
      }),
      { numRuns: repeats({ few: 12, all: 100 }), seed: seedOf(seed) },
    )
  })

  it('is the same text after a round trip, so that Git sees no churn', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const markdown = bundleToMarkdown(bundle)
        expect(bundleToMarkdown(bundleFromMarkdown(markdown))).toBe(markdown)
      }),
      { numRuns: repeats({ few: 25, all: 200 }), seed: seedOf(2) },
    )
  })

  it('leaves out what is named in the JSON, whose lists stay whole', () => {
    const shorter = { message: 'timeout', evidence: [] }
    const bundle = sampleBundle({
      summary: 'A long summary',
      errors: [
        { message: 'a timeout after ten seconds', evidence: [] },
        { message: 'not found', evidence: [] },
      ],
      shown: {
        without: ['sha256', 'model'],
        sections: { summary: 'Short', errors: [shorter, 1], notes: [] },
      },
    })
    const markdown = bundleToMarkdown(bundle)
    const read = bundleFromMarkdown(markdown)
    expect(read).toMatchObject({ summary: 'Short', errors: [shorter, bundle.errors[1]], notes: [] })
    expect(read.source).toMatchObject({ sha256: '0'.repeat(64), models: [] })
    expect(read.files).toEqual(bundle.files)
    expect(bundleToMarkdown(read)).toBe(markdown)
    expect(bundleToMarkdown(parseBundle(JSON.parse(JSON.stringify(bundle))))).toBe(markdown)
  })

  it.each([
    ['an item that is none', { errors: [{ path: 'a.ts' }] }, 'errors'],
    ['a text for a list', { errors: 'none' }, 'errors'],
  ])('is refused with the bundle if it would show %s', (_, sections, words) => {
    expect(() => parseBundle({ ...sampleBundle(), shown: { sections } })).toThrow(words)
  })

  it('survives an editor that writes CRLF', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        expect(bundleFromMarkdown(bundleToMarkdown(bundle).replaceAll('\n', '\r\n'))).toEqual(bundle)
      }),
      { numRuns: repeats({ few: 12, all: 100 }), seed: seedOf(3) },
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
      { numRuns: repeats({ few: 150, all: 2000 }), seed: seedOf(4) },
    )
  })

  it('has a title and boxes for people', () => {
    const steps = [
      { text: 'Add the service', evidence: [], done: true as const },
      { text: 'Migrate', evidence: [] },
    ]
    const plan = sampleBundle({ kind: 'plan', plan: { approach: 'JWT', steps, risks: [] } })
    expect(bundleToMarkdown(plan)).toContain('\n---\n\n# Plan Bundle: Fix the parser\n\n## Summary\n')
    expect(bundleToMarkdown(plan)).toContain('\n## Steps\n- [x] Add the service\n- [ ] Migrate\n')
    const list = (text: string) => [{ text, evidence: [] }]
    const progress = sampleBundle({
      kind: 'progress',
      progress: {
        ...{ currentState: '', completed: list('one'), inProgress: list('two'), remaining: list('three') },
        steps: { done: 3, total: 5 },
      },
    })
    expect(bundleToMarkdown(progress)).toContain('\n## Status\n3 of 5 steps complete (60 %)\n')
    expect(bundleToMarkdown(progress)).toMatch(
      /\n- \[x\] one\n[\s\S]*\n- \[ \] two\n[\s\S]*\n- \[ \] three\n/,
    )
  })

  it('reads the Markdown of versions without title and boxes', () => {
    const list = [
      { text: 'one', evidence: [] },
      { text: 'a | b', evidence: [] },
    ]
    const lists = { completed: list, inProgress: [], remaining: list }
    const bundle = sampleBundle({ kind: 'progress', progress: { currentState: '', ...lists } })
    const old = bundleToMarkdown(bundle)
      .replace(/\n# Progress Bundle.*\n/, '')
      .replaceAll(/^- ("?)\[[x ]\] /gm, '- $1')
    expect(old).toContain('\n- one\n- "a | b"\n')
    expect(bundleFromMarkdown(old)).toEqual(bundle)
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
    ['odd sizes', '---\ntenfold: 1\nlog: many bytes\n---\n', 'log: N bytes'],
    ['no id', '---\ntenfold: 1\n---\n', 'id: '],
  ])('refuses %s and gives the reason', (_, markdown, words) => {
    expect(() => bundleFromMarkdown(markdown)).toThrow(InvalidBundleError)
    expect(() => bundleFromMarkdown(markdown)).toThrow(words)
  })
})
