import { TenfoldError } from '../errors.ts'
import type { Note } from '../session/note.ts'
import { facetFilter, hasFacets, type RecallFacets } from './facets.ts'
import { type ParsedQuery, parseEvents } from './query.ts'
import type { SearchEntry } from './search-entry.ts'
import type { SearchableLog } from './searchable-log.ts'
import type { WordHit } from './word-index.ts'

/**
 * How an event matched, best first. `event`: named by its id. `exact`: holds the whole query verbatim. `part`: in
 * another case, or inside a longer word. `name`: holds a path, flag or other name of the query. `words`: holds words of
 * it. `listed`: there was no query, only facets.
 */
export type RecallMatch = (typeof matchOrder)[number]

export const matchOrder = ['event', 'exact', 'part', 'name', 'words', 'listed'] as const

/** An entry that matched. */
export interface RankedEntry {
  readonly entry: SearchEntry
  /** Position in the entries of the log. */
  readonly at: number
  readonly match: RecallMatch
  /** BM25, weighted by author; 0 if nothing is ranked. */
  readonly score: number
  /** Share of the words of the query that it holds. */
  readonly coverage: number
  /** The best part of the match to show, in characters. */
  readonly start: number
  readonly end: number
  /** Terms that matched, if no literal did. */
  readonly terms: readonly string[]
}

/** The matching entries of a log, best first. */
export interface LogSearchResult {
  readonly ranked: readonly RankedEntry[]
  readonly notes: readonly Note[]
}

/** Options of {@link searchLog}. */
export interface LogSearchOptions extends RecallFacets {
  /** Only events that hold the query verbatim. */
  readonly exact?: boolean | undefined
}

/** Searches one log. Throws TenfoldError `bad-query`. */
export function searchLog(
  log: SearchableLog,
  query: ParsedQuery,
  options: LogSearchOptions = {},
): LogSearchResult {
  const named = rangesOf(options.events)
  if (query.text === '' && !hasFacets(options))
    throw new TenfoldError(
      'bad-query',
      'expected words, an exact text or event ids such as e17 to look for, got an empty query',
    )
  const filter = facetFilter(options, query.events.length > 0 ? query.events : named)
  const byId = query.events.length > 0 || named !== undefined
  const fits = log.entries.map((entry) => filter(entry) && (byId || entry.harness !== true))
  const { whole } = query
  if (whole === undefined) {
    const byName = query.events.length > 0 || (query.text === '' && named !== undefined)
    return { ranked: listed(log, fits, byName ? 'event' : 'listed'), notes: [] }
  }
  const words = options.exact
    ? undefined
    : new Map(
        log
          .index()
          .search(query.terms)
          .map((hit) => [hit.at, hit]),
      )
  const ranked = log.entries.flatMap((entry, at) =>
    fits[at] ? (rank({ entry, at }, query, words) ?? []) : [],
  )
  return narrow(ranked.sort(byRank), query)
}

function rangesOf(events: string | undefined) {
  if (events === undefined) return undefined
  const ranges = parseEvents(events)
  if (ranges !== undefined) return ranges
  throw new TenfoldError(
    'bad-query',
    `expected event ids such as e17 or e10-e20, got ${JSON.stringify(events.slice(0, 80))}`,
  )
}

function listed(log: SearchableLog, fits: readonly boolean[], match: RecallMatch): RankedEntry[] {
  return log.entries.flatMap((entry, at) =>
    fits[at] ? [{ entry, at, match, score: 0, coverage: 1, start: 0, end: 0, terms: [] }] : [],
  )
}

interface Place {
  readonly entry: SearchEntry
  readonly at: number
}

/** `words` is missing if only exact matches count. */
function rank(
  { entry, at }: Place,
  query: ParsedQuery,
  words: ReadonlyMap<number, WordHit> | undefined,
): RankedEntry | undefined {
  const held = words?.get(at)
  const { coverage = 0 } = held ?? {}
  const score = (held?.score ?? 0) * weightOf(entry)
  const whole = query.whole?.find(entry.text)
  if (whole !== undefined) {
    const { start, end } = whole
    return { entry, at, score, coverage, start, end, terms: [], match: whole.whole ? 'exact' : 'part' }
  }
  if (words === undefined) return undefined
  const names = query.identifiers.flatMap((name) => name.find(entry.text) ?? [])
  const name = names.find((found) => found.whole)
  if (name !== undefined) {
    const { start, end } = name
    // Matching more names counts more than any ranking of words.
    const more = score + names.length * 100
    return { entry, at, coverage, start, end, terms: [], match: 'name', score: more }
  }
  if (held === undefined) return undefined
  return { entry, at, score, coverage, start: 0, end: 0, match: 'words', terms: held.terms }
}

/** Words of people and agents count more than what a harness inserted; repeated history is also elsewhere. */
function weightOf({ kind, copied }: SearchEntry): number {
  const weight = { user: 1.3, assistant: 1.2, context: 0.7, reasoning: 0.9 }[kind as string] ?? 1
  return copied ? weight / 2 : weight
}

function byRank(a: RankedEntry, b: RankedEntry): number {
  return (
    matchOrder.indexOf(a.match) - matchOrder.indexOf(b.match) ||
    Number(a.entry.copied ?? false) - Number(b.entry.copied ?? false) ||
    b.score - a.score ||
    a.at - b.at
  )
}

/** Restricts the results to those with the quoted text, unless nothing is left then. */
function narrow(ranked: readonly RankedEntry[], { phrases }: ParsedQuery): LogSearchResult {
  if (phrases.length === 0) return { ranked, notes: [] }
  const holds = ({ entry, match }: RankedEntry): boolean =>
    match === 'exact' || phrases.every((phrase) => phrase.find(entry.text) !== undefined)
  const held = ranked.filter(holds)
  if (held.length > 0 || ranked.length === 0) return { ranked: held, notes: [] }
  const message = 'No event holds the quoted words verbatim: the results hold other words of the query.'
  return { ranked, notes: [{ code: 'phrase-missing', message }] }
}
