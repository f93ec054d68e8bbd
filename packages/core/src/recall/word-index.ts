import { type Postings, postingsOf } from './postings.ts'
import type { SearchEntry } from './search-entry.ts'

/** An entry that holds words of a query: its position, its BM25 score, and its matching terms. */
export interface WordHit {
  readonly at: number
  readonly score: number
  /** Share of the query's terms that it holds. */
  readonly coverage: number
  readonly terms: readonly string[]
}

/** Ranked full text over entries. */
export interface WordIndex {
  /** Searches for terms, each given once. */
  search(terms: readonly string[]): WordHit[]
}

/** Indexes entries, whose postings may be known. */
export function wordIndex(
  entries: readonly SearchEntry[],
  postings: Postings = postingsOf(entries.map(({ text }) => text)),
): WordIndex {
  const scoreOf = bm25(postings, entries.filter(({ text }) => text !== '').length)
  return {
    search(wanted) {
      const found = new Map<number, { score: number; wanted: Set<string>; terms: Set<string> }>()
      for (const want of wanted) {
        for (const { term, id, weight } of matchingTerms(postings.terms, want)) {
          for (const { at, score } of scoreOf(id)) {
            const hit = found.get(at) ?? { score: 0, wanted: new Set(), terms: new Set() }
            found.set(at, hit)
            hit.score += weight * score
            hit.wanted.add(want)
            hit.terms.add(term)
          }
        }
      }
      return [...found].map(([at, { score, wanted: held, terms }]) => ({
        at,
        // An entry that holds more of the query counts more than one that holds one word of it often.
        score: score * held.size,
        coverage: held.size / wanted.length,
        terms: [...terms],
      }))
    },
  }
}

/** A shorter word does not match as the beginning of others. */
const minPrefixLength = 4
/** A word that only begins with the wanted one counts less, and the less the longer it is. */
const prefixWeight = 0.375
const distanceWeight = 0.3

function matchingTerms(terms: readonly string[], want: string) {
  const isPrefix = want.length >= minPrefixLength
  const found: { readonly term: string; readonly id: number; readonly weight: number }[] = []
  for (const [id, term] of terms.entries()) {
    if (term === want) found.push({ term, id, weight: 1 })
    else if (isPrefix && term.startsWith(want)) {
      const distance = term.length - want.length
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

/** Returns a function that returns the score of each text that holds a term, by BM25+. */
function bm25({ starts, texts, counts, lengths }: Postings, total: number) {
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, total)
  return (id: number) => {
    const start = starts[id] as number
    const end = starts[id + 1] as number
    const rarity = Math.log(1 + (total - (end - start) + 0.5) / (end - start + 0.5))
    return Array.from({ length: end - start }, (_, next) => {
      const at = texts[start + next] as number
      const count = counts[start + next] as number
      const norm = k * (1 - b + (b * (lengths[at] as number)) / average)
      return { at, score: rarity * (d + (count * (k + 1)) / (count + norm)) }
    })
  }
}
