import { type Postings, postingsOf } from './postings.ts'
import type { SearchEntry } from './search-entry.ts'

/** An entry that holds words of a query: its position, and how strongly it holds each of them. */
export interface WordHit {
  readonly at: number
  /** For each term of the query, how often the entry holds it, by BM25+ without the term's rarity; 0 if it does not. */
  readonly weights: readonly number[]
  /** Share of the query's terms that it holds. */
  readonly coverage: number
  /** The words by which it was found. */
  readonly terms: readonly string[]
}

/** How rare the terms of a query are: logs add up, so that hits of several logs compare. */
export interface TermCounts {
  /** Entries that hold text. */
  readonly entries: number
  /** For each term of the query, the entries that hold it. */
  readonly holding: readonly number[]
}

/** Ranked full text over entries. */
export interface WordIndex {
  /** Searches for terms, each given once. */
  search(terms: readonly string[]): { readonly hits: WordHit[]; readonly counts: TermCounts }
}

/** Indexes entries, whose postings may be known. */
export function wordIndex(
  entries: readonly SearchEntry[],
  postings: Postings = postingsOf(entries.map(({ text }) => text)),
): WordIndex {
  const total = entries.filter(({ text }) => text !== '').length
  const weightOf = termWeights(postings)
  return {
    search(wanted) {
      const found = new Map<number, { weights: number[]; terms: Set<string> }>()
      for (const [index, want] of wanted.entries()) {
        for (const { term, id, weight } of matchingTerms(postings.terms, want)) {
          for (const { at, held } of weightOf(id)) {
            const hit = found.get(at) ?? { weights: wanted.map(() => 0), terms: new Set() }
            found.set(at, hit)
            hit.weights[index] = Math.max(hit.weights[index] ?? 0, weight * held)
            hit.terms.add(term)
          }
        }
      }
      const hits = [...found].map(([at, { weights, terms }]): WordHit => {
        const held = weights.filter((weight) => weight > 0).length
        return { at, weights, coverage: held / wanted.length, terms: [...terms] }
      })
      const holding = wanted.map((_, index) => hits.filter(({ weights }) => (weights[index] ?? 0) > 0).length)
      return { hits, counts: { entries: total, holding } }
    },
  }
}

/** The BM25+ score of a hit. An entry that holds more of the query counts more than one that holds one word often. */
export function scoreOf(weights: readonly number[], { entries, holding }: TermCounts): number {
  let score = 0
  let share = 0
  let all = 0
  for (const [index, weight] of weights.entries()) {
    const count = holding[index] ?? 0
    const rarity = Math.log(1 + (entries - count + 0.5) / (count + 0.5))
    score += rarity * weight
    all += rarity
    if (weight > 0) share += rarity
  }
  return all === 0 ? 0 : (score * share) / all
}

/** The counts of two logs together. */
export function addCounts(a: TermCounts, b: TermCounts): TermCounts {
  return {
    entries: a.entries + b.entries,
    holding: b.holding.map((count, index) => count + (a.holding[index] ?? 0)),
  }
}

/** A shorter word does not match as the beginning of others. */
const minPrefixLength = 4
/** A word that only begins with the wanted one counts less, and the less the longer it is. */
const prefixWeight = 0.375
const distanceWeight = 0.3

function matchingTerms(terms: readonly string[], want: string) {
  const stem = stemOf(want)
  const isPrefix = stem.length >= minPrefixLength
  const found: { readonly term: string; readonly id: number; readonly weight: number }[] = []
  for (const [id, term] of terms.entries()) {
    if (term === want) found.push({ term, id, weight: 1 })
    else if (isPrefix && term.startsWith(stem)) {
      const distance = term.length - stem.length
      found.push({
        term,
        id,
        weight: (prefixWeight * term.length) / (term.length + distanceWeight * distance),
      })
    }
  }
  return found
}

/** The usual parameters of BM25+: how soon more uses of a term stop to count, the weight of a text's length, the floor. */
const k = 1.2
const b = 0.7
const d = 0.5
/** Different terms of an event, in the mean of real logs: the same for all, so that equal events of two logs are equal. */
const usualLength = 60

/** A word without its ending: `caches`, `cached` and `caching` are found by `cache`, and it by them. */
export function stemOf(word: string): string {
  const cut = /^[a-zà-ÿ]{6,}$/.test(word) ? word.replace(/(?:ing|ed|es|en|er|s|e)$/, '') : word
  return cut.length >= minPrefixLength ? cut : word
}

/** Returns a function that returns how strongly each text holds a term. */
function termWeights({ starts, texts, counts, lengths }: Postings) {
  return (id: number) => {
    const start = starts[id] as number
    const end = starts[id + 1] as number
    return Array.from({ length: end - start }, (_, next) => {
      const at = texts[start + next] as number
      const count = counts[start + next] as number
      const norm = k * (1 - b + (b * (lengths[at] as number)) / usualLength)
      return { at, held: d + (count * (k + 1)) / (count + norm) }
    })
  }
}
