import { rememberLines } from '@tenfold/tokens'
import { describe, expect, it } from 'vitest'
import { sectionsCounted } from '../../src/assemble/count-bundle.ts'
import { bundleToMarkdown, sectionPieces } from '../../src/bundle/markdown.ts'
import type { ContextBundle } from '../../src/bundle/schema.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'

const counter = tiktokenCounter()
const texts = [
  'ran the tests',
  'two lines\n\n/usr/bin is the second',
  'a list\n  - indented\n## no heading',
  '中文 🙂',
]
const large = sampleBundle({
  trail: Array.from({ length: 20_000 }, (_, index) => ({
    event: `e${index + 1}`,
    agent: index < 19_000 ? 'main' : 'sub1',
    label: 'assistant',
    text: `${texts[index % texts.length]} ${index} /`,
  })),
})

const countBundle = (bundle: ContextBundle, by: TokenCounter) => atOnce(sectionsCounted(by)(bundle))(bundle)

describe('sectionsCounted', () => {
  it('counts the tokens of the Markdown, also in pieces', () => {
    for (const bundle of [sampleBundle(), large]) {
      const tokens = counter.count(bundleToMarkdown(bundle))
      expect(countBundle(bundle, counter)).toBe(tokens)
      expect(countBundle(bundle, rememberLines(counter))).toBe(tokens)
    }
  })

  it('never gives a counter the whole Markdown of a large bundle if the counts of lines add up', () => {
    const lengths: number[] = []
    const seen = (linesAddUp: boolean) => ({
      name: 'seen',
      linesAddUp,
      count: (text: string) => lengths.push(text.length),
    })
    const whole = bundleToMarkdown(large).length
    countBundle(large, seen(false))
    expect(lengths).toEqual([whole])
    lengths.length = 0
    countBundle(large, seen(true))
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(whole)
    expect(Math.max(...lengths)).toBeLessThan(whole / 2)
  })

  it('counts only the sections that changed', () => {
    const lengths: number[] = []
    const seen: TokenCounter = {
      ...counter,
      count: (text) => lengths.push(text.length) && counter.count(text),
    }
    const counted = sectionsCounted(seen)
    const count = (bundle: ContextBundle) => atOnce(counted(bundle))
    count(large)
    lengths.length = 0
    const other = { ...large, identifiers: ['retryAfter', 'src/limit.ts'], openQuestions: [] }
    expect(count(other)(other)).toBe(counter.count(bundleToMarkdown(other)))
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(5000)
    expect(count(large)(large)).toBe(counter.count(bundleToMarkdown(large)))
    const bare = { ...other, trail: [], usage: { ...other.usage, models: [] }, notes: [] }
    expect(count(bare)(bare)).toBe(counter.count(bundleToMarkdown(bare)))
  })

  it('counts other front matter without the sections', () => {
    const count = atOnce(sectionsCounted(counter)(large))
    const other = { ...large, compression: { ...large.compression, sourceTokens: 123_456_789 } }
    expect(count(other)).toBe(counter.count(bundleToMarkdown(other)))
  })
})

describe('sectionPieces', () => {
  it('cuts the text of the sections only between items', () => {
    const pieces = [...sectionPieces(large)]
    expect(pieces.length).toBeGreaterThan(2)
    expect(bundleToMarkdown(large).endsWith(pieces.join(''))).toBe(true)
    for (const piece of pieces.slice(1)) expect(piece).toMatch(/^(?:- e\d|### sub1\n)/)
  })
})
