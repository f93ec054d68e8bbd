import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { termsOf } from './query.ts'
import { eachEntry, type SearchEntry } from './search-entry.ts'

// The words of a log are one text: a line with the weight and the number of distinct terms of each event, then a sorted
// line for each term, with its events. A count of 1 and a gap of 1 are left out; other numbers are in base 36.

export interface WordHit {
  readonly at: number
  /** Frequency of each query term in the entry, by BM25+ without the term's rarity; 0 if absent. */
  readonly weights: readonly number[]
  readonly coverage: number
  readonly terms: readonly string[]
  /** Factor for the score, by the author of the entry. */
  readonly factor: number
}

/** How rare the query terms are. Counts of several logs add up, so that their hits are comparable. */
export interface TermCounts {
  readonly entries: number
  readonly holding: readonly number[]
}

export interface WordIndex {
  readonly events: number
  search(terms: readonly string[]): Steps<{ readonly hits: WordHit[]; readonly counts: TermCounts }>
  /** Whether an entry may contain a text with these terms, perhaps inside longer words. */
  mayHold(terms: readonly string[]): boolean
}

/** Words of people and agents count more than text that a harness inserted; the harness's own texts are found only by id. */
const factors: Readonly<Record<string, number>> = { u: 1.6, a: 1.5, c: 0.7, o: 1, h: 0 }

function authorOf({ kind, copied, harness }: SearchEntry): string {
  const author = harness ? 'h' : ({ user: 'u', assistant: 'a', context: 'c' }[kind as string] ?? 'o')
  return copied ? author.toUpperCase() : author
}

/** Returns the factor for the author of an entry; repeated history counts less, as it is also elsewhere. */
export function factorOf(entry: SearchEntry): number {
  return factorOfAuthor(authorOf(entry))
}

function factorOfAuthor(author: string): number {
  const factor = factors[author.toLowerCase()] ?? 1
  return author === author.toLowerCase() ? factor : factor / 2
}

export function wordsOfSession(session: Session): Steps<string> {
  return wordsOf(eachEntry(session))
}

export function* wordsOf(entries: Iterable<SearchEntry>): Steps<string> {
  const split = termSplitter()
  // Lists indexed by term number instead of an object per term, since most terms of a large log occur once.
  const numbers = new Map<string, number>()
  const lasts: number[] = []
  const holders: string[] = []
  const heads = textList(' ')
  let at = 0
  for (const entry of entries) {
    const counts = new Map<string, number>()
    eachPiece(entry.text, (piece) => {
      for (const term of split(piece)) counts.set(term, (counts.get(term) ?? 0) + 1)
    })
    heads.push(`${authorOf(entry)}${counts.size.toString(36)}`)
    for (const [term, count] of counts) {
      const number = numbers.get(term) ?? numbers.size
      if (number === numbers.size) numbers.set(term, number)
      const gap = at - (lasts[number] ?? -1)
      holders[number] =
        `${holders[number] ?? ''} ${gap === 1 ? '' : gap.toString(36)}${count === 1 ? '' : `.${count.toString(36)}`}`
      lasts[number] = at
    }
    at++
    yield
  }
  const lines = textList('')
  for (const term of [...numbers.keys()].sort()) {
    // V8 joins only flat texts quickly.
    lines.push(Buffer.from(`${term}${holders[numbers.get(term) ?? 0]}\n`).toString())
    yield
  }
  return `${heads.text()}\n${lines.text()}`
}

/** Joins many texts. They are joined in batches, because a million short ones take many times the memory of their text. */
function textList(separator: string) {
  const joined: string[] = []
  const texts: string[] = []
  return {
    push(text: string): void {
      if (texts.push(text) === 1000) joined.push(texts.splice(0).join(separator))
    },
    text: () => [...joined, ...texts].join(separator),
  }
}

/** Longer pieces rarely repeat. */
const maxKnownLength = 80
/** Maximum number of remembered pieces. */
const maxKnown = 20_000

/** Splits each piece of text only once, because logs repeat the same words. */
function termSplitter(): (piece: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (piece) => {
    const before = known.get(piece)
    if (before !== undefined) return before
    const terms = termsOf(piece)
    if (known.size >= maxKnown) known.clear()
    if (piece.length <= maxKnownLength) known.set(piece, terms)
    return terms
  }
}

/** 1 for ASCII letters, digits and `_`, 2 for other ASCII characters. */
const asciiClass = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 2,
)

/**
 * Splits a text at ASCII characters that belong to no word, so that the pieces have the same terms as the text. A
 * combining mark at the start of a piece may change the character before it, which is therefore included.
 */
function eachPiece(text: string, take: (piece: string) => void): void {
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && asciiClass[text.charCodeAt(at)] !== 2) continue
    if (at > start) take(text.slice(start > 0 && text.charCodeAt(start) > 0x7f ? start - 1 : start, at))
    start = at + 1
  }
}

/** The usual parameters of BM25+: saturation of frequency, weight of the text's length, and lower bound. */
const k = 1.2
const b = 0.7
const d = 0.5
/** Average number of distinct terms of an event in real logs; a constant, so that equal events of two logs score the same. */
const usualLength = 60

/** Makes the text of {@link wordsOf} searchable; undefined for other text. */
export function wordIndex(words: string): WordIndex | undefined {
  const start = words.indexOf('\n') + 1
  if (start === 0 || !/^(?:[uacoh][\da-z]{1,6}(?: |$))*$/i.test(words.slice(0, start - 1))) return undefined
  const events = words
    .slice(0, start - 1)
    .split(' ')
    .filter((event) => event !== '')
    .map((event) => ({
      factor: factorOfAuthor(event.slice(0, 1)),
      length: Number.parseInt(event.slice(1), 36),
    }))
  const strength = (at: number, count: number): number => {
    const norm = k * (1 - b + (b * (events[at]?.length ?? 0)) / usualLength)
    return d + (count * (k + 1)) / (count + norm)
  }
  return {
    events: events.length,
    *search(wanted) {
      const found = new Map<number, { weights: number[]; terms: Set<string> }>()
      for (const [index, want] of wanted.entries()) {
        for (const { term, weight, holders } of matchingTerms(words, start, want)) {
          for (const [at, count] of holders) {
            const hit = found.get(at) ?? { weights: wanted.map(() => 0), terms: new Set() }
            found.set(at, hit)
            hit.weights[index] = Math.max(hit.weights[index] ?? 0, weight * strength(at, count))
            hit.terms.add(term)
          }
          yield
        }
      }
      const hits: WordHit[] = []
      const holding = wanted.map(() => 0)
      for (const [at, { weights, terms }] of found) {
        for (const [index, weight] of weights.entries())
          if (weight > 0) holding[index] = (holding[index] ?? 0) + 1
        const held = weights.filter((weight) => weight > 0).length
        const factor = events[at]?.factor ?? 0
        hits.push({ at, weights, coverage: held / wanted.length, terms: [...terms], factor })
        yield
      }
      return { hits, counts: { entries: events.filter(({ length }) => length > 0).length, holding } }
    },
    mayHold: (terms) => terms.every((term) => words.includes(term, start)),
  }
}

/** Returns the BM25+ score of a hit. Containing more words of the query counts more than repeating one of them. */
export function scoreOf(weights: readonly number[], rarities: readonly number[]): number {
  let score = 0
  let share = 0
  let all = 0
  for (const [index, rarity] of rarities.entries()) {
    const weight = weights[index] ?? 0
    score += rarity * weight
    all += rarity
    if (weight > 0) share += rarity
  }
  return all === 0 ? 0 : (score * share) / all
}

/** Returns the weight of each term, which is higher if fewer entries contain it. */
export function raritiesOf({ entries, holding }: TermCounts): number[] {
  return holding.map((count) => Math.log(1 + Math.max(0, entries - count + 0.5) / (count + 0.5)))
}

export function addCounts(a: TermCounts, b: TermCounts): TermCounts {
  return {
    entries: a.entries + b.entries,
    holding: b.holding.map((count, index) => count + (a.holding[index] ?? 0)),
  }
}

/** Minimum length of a word that also matches as the beginning of longer words. */
const minPrefixLength = 4
/** Factors for a word that only begins with the query word; the longer, the less. */
const prefixWeight = 0.375
const distanceWeight = 0.3

function* matchingTerms(words: string, start: number, want: string) {
  const stem = stemOf(want)
  const isPrefix = stem.length >= minPrefixLength
  const first = isPrefix ? stem : want
  for (let at = firstLine(words, start, first); at < words.length; ) {
    const end = words.indexOf('\n', at)
    const [term = '', ...holders] = words.slice(at, end === -1 ? words.length : end).split(' ')
    if (!term.startsWith(first)) return
    const distance = term.length - stem.length
    const weight =
      term === want ? 1 : (prefixWeight * term.length) / (term.length + distanceWeight * distance)
    if (isPrefix || term === want) yield { term, weight, holders: holdersOf(holders) }
    if (end === -1 || !isPrefix) return
    at = end + 1
  }
}

function firstLine(words: string, start: number, want: string): number {
  let low = start
  let high = words.length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const line = Math.max(low, words.lastIndexOf('\n', middle - 1) + 1)
    const end = words.indexOf('\n', middle)
    const next = end === -1 ? words.length : end + 1
    if (words.slice(line, words.indexOf(' ', line)) < want) low = next
    else high = line
  }
  return low
}

function holdersOf(holders: readonly string[]): [at: number, count: number][] {
  let last = -1
  return holders.map((holder) => {
    const [gap = '', count = '1'] = holder.split('.')
    last += gap === '' ? 1 : Number.parseInt(gap, 36)
    return [last, Number.parseInt(count, 36)]
  })
}

/** Returns a word without its ending, so that `cache`, `caches`, `cached` and `caching` match each other. */
export function stemOf(word: string): string {
  const cut = /^[a-zà-ÿ]{6,}$/.test(word) ? word.replace(/(?:ing|ed|es|en|er|s|e)$/, '') : word
  return cut.length >= minPrefixLength ? cut : word
}
