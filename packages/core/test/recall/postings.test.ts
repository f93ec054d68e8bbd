import { expect, it } from 'vitest'
import { postingsOf } from '../../src/recall/postings.ts'
import { termsOf } from '../../src/recall/terms.ts'
import { scoreOf, wordIndex } from '../../src/recall/word-index.ts'

/** How often a text holds each term, as the postings say. */
function countsIn(texts: readonly string[], at: number): Map<string, number | undefined> {
  const { terms, starts, texts: holders, counts } = postingsOf(texts)
  const held = terms.flatMap((term, id) => {
    const place = holders.subarray(starts[id], starts[id + 1]).indexOf(at)
    return place === -1 ? [] : [[term, counts[(starts[id] ?? 0) + place]] as const]
  })
  return new Map(held)
}

it.each([
  ['plain words', 'the order reader reads the order'],
  ['names', 'readArchive HTTPServer read_archive __proto__ constructor e17'],
  ['accents, composed and not', 'café cafe\u0301 <\u0338a =\u0338b x\u0301=y \u0301z'],
  ['compatibility forms', 'ｆｕｌｌ-width ﬁle ½ 1½2 a…b ´c'],
  ['scripts without spaces', '注文reader取り込み、認証 ไทย 한국어-test'],
  ['runs of data', `${'a'.repeat(81)} ${'字'.repeat(100)} ${'x1'.repeat(40)}`],
  ['lone surrogates', 'a\ud800b \udc00'],
  ['nothing', ''],
])('counts the terms of %s as if the text were split alone', (_, text) => {
  const expected = new Map<string, number>()
  for (const term of termsOf(text)) expected.set(term, (expected.get(term) ?? 0) + 1)
  const texts = ['the first order', text, 'a last one']
  expect(countsIn(texts, 1)).toEqual(expected)
  expect(postingsOf(texts).lengths[1]).toBe(expected.size)
})

it('ranks rare terms, repeated terms, short texts and whole words higher', () => {
  const texts = [
    'order of the day, and of many other days to come',
    'order order order',
    'some needles',
    'the needle',
    '',
    'the hay of the order',
  ]
  const entries = texts.map((text, at) => ({
    id: `e${at + 1}` as const,
    kind: 'user' as const,
    agent: 'main',
    text,
  }))
  const index = wordIndex(entries)
  const ranked = (terms: string[]) => {
    const { hits, counts } = index.search(terms)
    const scored = hits.map((hit) => ({ ...hit, score: scoreOf(hit.weights, counts) }))
    return scored.sort((a, b) => b.score - a.score)
  }
  expect(ranked(['order']).map(({ at }) => at)).toEqual([1, 5, 0])
  expect(ranked(['needle']).map(({ at }) => at)).toEqual([3, 2])
  expect(ranked(['the', 'needle'])[0]).toMatchObject({ at: 3, coverage: 1, terms: ['the', 'needle'] })
  expect(ranked(['ord'])).toEqual([])
  expect(ranked(['needles']).map(({ at }) => at)).toEqual([2, 3])
  // The score of BM25+ with k = 1.2, b = 0.7 and d = 0.5; two of the five texts hold the word or one that begins with it.
  const rarity = Math.log(1 + (5 - 2 + 0.5) / (2 + 0.5))
  const norm = 1.2 * (1 - 0.7 + (0.7 * 2) / 60)
  expect(ranked(['needle'])[0]?.score).toBeCloseTo(rarity * (0.5 + 2.2 / (1 + norm)), 10)
})
