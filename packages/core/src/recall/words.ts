import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { termsOf } from './query.ts'
import { eachEntry, type SearchEntry } from './search-entry.ts'

// The words of a log are one text: a line with the weight and the number of different terms of each event, then a sorted
// line for each term, with the events that hold it. What is not 1 or not next to the one before is said in base 36.

export interface WordHit {
  readonly at: number
  /** For each term of the query, how often the entry holds it, by BM25+ without the term's rarity; 0 if it does not. */
  readonly weights: readonly number[]
  readonly coverage: number
  readonly terms: readonly string[]
  /** What its author makes of the score. */
  readonly factor: number
}

/** How rare the terms of a query are: logs add up, so that hits of several logs compare. */
export interface TermCounts {
  readonly entries: number
  readonly holding: readonly number[]
}

export interface WordIndex {
  readonly events: number
  search(terms: readonly string[]): Steps<{ readonly hits: WordHit[]; readonly counts: TermCounts }>
  /** Whether an entry may hold a text with these terms, perhaps inside of longer words. */
  mayHold(terms: readonly string[]): boolean
}

/** Words of people and agents count more than what a harness inserted; its own texts are found by their ids only. */
const factors: Readonly<Record<string, number>> = { u: 1.6, a: 1.5, c: 0.7, o: 1, h: 0 }

function authorOf({ kind, copied, harness }: SearchEntry): string {
  const author = harness ? 'h' : ({ user: 'u', assistant: 'a', context: 'c' }[kind as string] ?? 'o')
  return copied ? author.toUpperCase() : author
}

/** What the author of an entry makes of its score; repeated history is also elsewhere. */
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
  // Lists by the number of a term, not an object for each: most terms of a large log occur once.
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
    // Only a flat text is joined quickly.
    lines.push(Buffer.from(`${term}${holders[numbers.get(term) ?? 0]}\n`).toString())
    yield
  }
  return `${heads.text()}\n${lines.text()}`
}

/** Texts that become one. A million short ones take many times their length, so they are joined now and then. */
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

/** A longer piece rarely occurs twice. */
const maxKnownLength = 80
/** Pieces that are remembered; what a log repeats is soon remembered again. */
const maxKnown = 20_000

/** Splits a piece of text into terms once, because logs repeat the same words. */
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
 * Splits a text at ASCII characters that belong to no word, so that the terms of the pieces are those of the text. A
 * combining mark at the start of a piece may change the character before it, which thus belongs to the piece.
 */
function eachPiece(text: string, take: (piece: string) => void): void {
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && asciiClass[text.charCodeAt(at)] !== 2) continue
    if (at > start) take(text.slice(start > 0 && text.charCodeAt(start) > 0x7f ? start - 1 : start, at))
    start = at + 1
  }
}

/** The usual parameters of BM25+: how soon more uses of a term stop to count, the weight of a text's length, the floor. */
const k = 1.2
const b = 0.7
const d = 0.5
/** Different terms of an event, in the mean of real logs: the same for all, so that equal events of two logs are equal. */
const usualLength = 60

/** Makes the text of {@link wordsOf} searchable; undefined if it is another text. */
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

/** The BM25+ score of a hit. An entry that holds more of the query counts more than one that holds one word often. */
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

/** How much each term says: the more, the fewer entries hold it. */
export function raritiesOf({ entries, holding }: TermCounts): number[] {
  return holding.map((count) => Math.log(1 + Math.max(0, entries - count + 0.5) / (count + 0.5)))
}

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

/** A word without its ending: `caches`, `cached` and `caching` are found by `cache`, and it by them. */
export function stemOf(word: string): string {
  const cut = /^[a-zà-ÿ]{6,}$/.test(word) ? word.replace(/(?:ing|ed|es|en|er|s|e)$/, '') : word
  return cut.length >= minPrefixLength ? cut : word
}
