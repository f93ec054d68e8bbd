import { expect, it } from 'vitest'
import { termsOf } from '../../src/recall/query.ts'
import type { SearchEntry } from '../../src/recall/search-entry.ts'
import { raritiesOf, scoreOf, wordIndex, wordsOf } from '../../src/recall/words.ts'
import { atOnce } from '../../src/session/pauses.ts'

const entryOf = (text: string, at: number, kind: SearchEntry['kind'] = 'user'): SearchEntry => ({
  id: `e${at + 1}`,
  kind,
  agent: 'main',
  text,
})
const indexOf = (entries: readonly SearchEntry[]) => {
  const index = wordIndex(atOnce(wordsOf(entries)))
  if (index === undefined) throw new Error('no words')
  return index
}

it.each([
  ['plain words', 'the order reader reads the order'],
  ['names', 'readArchive HTTPServer read_archive __proto__ constructor e17'],
  ['accents, composed and not', 'café cafe\u0301 <\u0338a =\u0338b x\u0301=y \u0301z'],
  ['compatibility forms', 'ｆｕｌｌ-width ﬁle ½ 1½2 a…b ´c'],
  ['scripts without spaces', '注文reader取り込み、認証 ไทย 한국어-test'],
  ['runs of data', `${'a'.repeat(81)} ${'字'.repeat(100)} ${'x1'.repeat(40)}`],
  ['lone surrogates', 'a\ud800b \udc00'],
  ['repeats, and gaps of more than a digit', 'gap '.repeat(50)],
  ['nothing', ''],
])('finds %s by each of its terms, as if the text were split alone', (_, text) => {
  const texts = ['the first order', text, ...Array.from({ length: 40 }, () => ''), `${text} a last one`]
  const index = indexOf(texts.map((each, at) => entryOf(each, at)))
  expect(index.events).toBe(43)
  const terms = [...new Set(termsOf(text))]
  for (const term of terms) {
    const { hits } = atOnce(index.search([term]))
    const best = hits.filter((hit) => hit.terms.includes(term)).map(({ at }) => at)
    expect(best.filter((at) => at > 0)).toEqual([1, 42])
  }
  expect(index.mayHold(terms)).toBe(true)
  expect(index.mayHold(terms.map((term) => term.slice(1)))).toBe(true)
  expect(index.mayHold(['first', 'nowhere'])).toBe(false)
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
  const index = indexOf(texts.map((text, at) => entryOf(text, at)))
  const ranked = (terms: string[]) => {
    const { hits, counts } = atOnce(index.search(terms))
    const scored = hits.map((hit) => ({ ...hit, score: scoreOf(hit.weights, raritiesOf(counts)) }))
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

it('records whose words they are', () => {
  const own = [entryOf('needle', 0), entryOf('needle', 1, 'assistant'), entryOf('needle', 2, 'tool_result')]
  const others = [
    { ...entryOf('needle', 3), copied: true as const },
    { ...entryOf('needle', 4), harness: true as const },
  ]
  const { hits } = atOnce(indexOf([...own, ...others]).search(['needle']))
  expect(hits.map(({ factor }) => factor)).toEqual([1.6, 1.5, 1, 0.8, 0])
})

it.each(['', 'no line', 'u1 x\nword 0\n', 'u1 u\nword 0\n', '\u0000\n'])(
  'refuses other text (%j)',
  (text) => {
    expect(wordIndex(text)).toBeUndefined()
  },
)
