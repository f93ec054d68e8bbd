import { TenfoldError } from '../errors.ts'
import { escapeRegExp } from '../session/escape-reg-exp.ts'
import type { Note } from '../session/note.ts'
import type { Steps } from '../session/pauses.ts'
import { densestPlace } from './excerpt-around.ts'
import { type EventRange, type ParsedQuery, parseEvents } from './query.ts'
import type { SearchEntry } from './search-entry.ts'
import type { SearchableLog } from './searchable-log.ts'
import { factorOf, raritiesOf, scoreOf, stemOf, type TermCounts, type WordHit } from './words.ts'

/** Restricts the searched events. */
export interface RecallFacets {
  /** Kinds of events, such as `tool_result`. */
  readonly kinds?: readonly SearchEntry['kind'][] | undefined
  /** Id of a subagent, or `main`. */
  readonly agent?: string | undefined
  /** Name of a tool, in any case: its calls and their results. */
  readonly tool?: string | undefined
  /** Events that name this file, path ending (`src/a.ts`) or folder, and results of calls that do. */
  readonly path?: string | undefined
  /** Range of turns, inclusive. */
  readonly turns?: { readonly from?: number | undefined; readonly to?: number | undefined } | undefined
  /** Event ids such as `e17, e20-e30`. */
  readonly events?: string | undefined
}

function facetFilter(
  facets: RecallFacets,
  ranges: readonly EventRange[] | undefined,
): (entry: SearchEntry) => boolean {
  const { kinds, agent, tool, path, turns } = facets
  const wantedTool = tool?.toLowerCase()
  const named = path === undefined ? undefined : pathPattern(path)
  return (entry) =>
    (kinds === undefined || kinds.includes(entry.kind)) &&
    (agent === undefined || entry.agent === agent) &&
    (wantedTool === undefined || entry.tool?.toLowerCase() === wantedTool) &&
    (turns === undefined || isBetween(entry.turn, turns)) &&
    (ranges === undefined || inRanges(entry, ranges)) &&
    (named === undefined || named.test(entry.text) || (entry.call !== undefined && named.test(entry.call)))
}

function isBetween(turn: number | undefined, { from, to }: NonNullable<RecallFacets['turns']>): boolean {
  return turn !== undefined && (from === undefined || turn >= from) && (to === undefined || turn <= to)
}

function inRanges({ id }: SearchEntry, ranges: readonly EventRange[]): boolean {
  const at = Number(id.slice(1)) - 1
  return ranges.some(({ from, to }) => at >= from && at <= to)
}

/** Matches a path, but not as part of a longer name. */
function pathPattern(path: string): RegExp {
  const plain = path.replace(/^\.\//, '').replace(/(?<=.)\/+$/, '')
  return new RegExp(`(?<![\\p{L}\\p{N}_.-])${escapeRegExp(plain)}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'u')
}

/**
 * How an event matched, best first. `event`: selected by id. `exact`: contains the whole query verbatim. `part`: in
 * another case, or inside a longer word. `name`: contains a path, flag or other name of the query. `words`: contains
 * words of it. `listed`: selected by facets without a query.
 */
export type RecallMatch = (typeof matchOrder)[number]

const matchOrder = ['event', 'exact', 'part', 'name', 'words', 'listed'] as const

export interface RankedEntry {
  readonly entry: SearchEntry
  readonly at: number
  readonly match: RecallMatch
  /** BM25+, weighted by author; 0 for matches that are not ranked. */
  readonly score: number
  readonly weights: readonly number[]
  /** Share of the query's words in the entry. */
  readonly coverage: number
  /** Factor for the score from the rank of its log. @default 1 */
  readonly prior?: number
  /** Position of the passage to show, in characters. */
  readonly start: number
  readonly end: number
  /** Matching terms, if no literal matched. */
  readonly terms: readonly string[]
}

interface LogSearchResult {
  readonly ranked: readonly RankedEntry[]
  readonly counts: TermCounts
  readonly notes: readonly Note[]
}

export function* searchLog(
  log: SearchableLog,
  query: ParsedQuery,
  options: RecallFacets & { readonly exact?: boolean | undefined } = {},
): Steps<LogSearchResult> {
  const named = rangesOf(options.events)
  const { exact, ...facets } = options
  if (query.text === '' && Object.values(facets).every((facet) => facet === undefined))
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
    return { ranked: listed(log, fits, byName ? 'event' : 'listed'), counts: noCounts, notes: [] }
  }
  const found = exact ? undefined : yield* (yield* log.index()).search(query.terms)
  const words = found && new Map(found.hits.map((hit) => [hit.at, hit]))
  const ranked: RankedEntry[] = []
  for (const [at, entry] of log.entries.entries()) {
    const held = fits[at] ? rank({ entry, at }, query, words) : undefined
    if (held !== undefined) ranked.push(held)
    yield
  }
  const counts = found === undefined ? noCounts : withNames(found.counts, ranked, query)
  const sorted = yield* inOrder(ranked, counts)
  const close: RankedEntry[] = []
  for (const each of sorted.slice(0, examined)) {
    close.push(withPassage(each, query))
    yield
  }
  const best = yield* inOrder([...close, ...sorted.slice(examined)], counts)
  return yield* narrow({ ranked: best, counts, notes: [] }, query)
}

/** Number of best entries in which passages with close words are searched. */
const examined = 60

const passage = 600

/** Weight of words outside the best passage of a long text. */
const outsideShare = 0.2

/** A long text scores by its best passage, since a whole file contains any words somewhere. */
function withPassage(ranked: RankedEntry, { terms, identifiers }: ParsedQuery): RankedEntry {
  const { entry, weights } = ranked
  if (!hasWordsOnly(ranked) || entry.text.length <= passage * 2) return ranked
  const place = densestPlace(entry.text, ranked.terms, passage)
  const spare = Math.max(0, passage - (place.end - place.start)) / 2
  const text = entry.text.slice(Math.max(0, place.start - spare), place.end + spare).toLowerCase()
  const words = [...terms.map(stemOf), ...identifiers.map((name) => name.text.toLowerCase())]
  const isInside = words.map((word) => text.includes(word))
  return {
    ...ranked,
    weights: weights.map((weight, index) => (isInside[index] === true ? weight : weight * outsideShare)),
    coverage: terms.filter((_, index) => isInside[index] && (weights[index] ?? 0) > 0).length / terms.length,
  }
}

const noCounts: TermCounts = { entries: 0, holding: [] }

/** Adds the counts of names, which are ranked like rare words. */
function withNames(counts: TermCounts, ranked: readonly RankedEntry[], query: ParsedQuery): TermCounts {
  const names = query.identifiers.map((_, index) => {
    const at = query.terms.length + index
    return ranked.filter(({ weights }) => (weights[at] ?? 0) > 0).length
  })
  return { ...counts, holding: [...counts.holding, ...names] }
}

function* inOrder(ranked: readonly RankedEntry[], counts: TermCounts): Steps<RankedEntry[]> {
  const rarities = raritiesOf(counts)
  const scored: { readonly rank: number; readonly each: RankedEntry }[] = []
  for (const each of ranked) {
    scored.push({ rank: rankOf(each), each: withScore(each, rarities) })
    yield
  }
  scored.sort((a, b) => a.rank - b.rank || b.each.score - a.each.score || a.each.at - b.each.at)
  yield
  return scored.map(({ each }) => each)
}

/** Sorts the matches of several logs, given those of newer logs first: among equal ones the newest stays first. */
export function inOrderOfLogs<T extends RankedEntry>(ranked: readonly T[], counts: TermCounts): T[] {
  const rarities = raritiesOf(counts)
  return ranked
    .map((each) => withScore(each, rarities))
    .sort((a, b) => rankOf(a) - rankOf(b) || (hasWordsOnly(a) ? b.score - a.score : 0))
}

function withScore<T extends RankedEntry>(ranked: T, rarities: readonly number[]): T {
  return {
    ...ranked,
    score: scoreOf(ranked.weights, rarities) * factorOf(ranked.entry) * (ranked.prior ?? 1),
  }
}

/** Whether no literal matched. */
export function hasWordsOnly({ match }: RankedEntry): boolean {
  return match === 'words' || match === 'name'
}

/** Order before scores: an exact match, then a part of a word, then all words, then some. */
function rankOf(ranked: RankedEntry): number {
  const { match, coverage, entry } = ranked
  const rank = hasWordsOnly(ranked) ? (coverage === 1 ? 3 : 4) : matchOrder.indexOf(match)
  return rank + (entry.copied === true ? 0.5 : 0)
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
    fits[at] ? [{ entry, at, match, score: 0, weights: [], coverage: 1, start: 0, end: 0, terms: [] }] : [],
  )
}

interface Place {
  readonly entry: SearchEntry
  readonly at: number
}

/** `words` is undefined if only exact matches count. */
function rank(
  { entry, at }: Place,
  query: ParsedQuery,
  words: ReadonlyMap<number, WordHit> | undefined,
): RankedEntry | undefined {
  const held = words?.get(at)
  const { coverage = 0, weights: byTerm = query.terms.map(() => 0) } = held ?? {}
  const names = words === undefined ? [] : query.identifiers.map((name) => name.find(entry.text))
  const weights = [...byTerm, ...names.map((found) => (found?.whole === true ? nameWeight : 0))]
  const found = { entry, at, score: 0, weights, coverage }
  const whole = query.whole?.find(entry.text)
  if (whole !== undefined) {
    const { start, end } = whole
    return { ...found, start, end, terms: [], match: whole.whole ? 'exact' : 'part' }
  }
  const named = query.identifiers.flatMap(({ text }, index) =>
    names[index]?.whole ? [text.toLowerCase()] : [],
  )
  if (held === undefined && named.length === 0) return undefined
  const terms = [...named, ...(held?.terms ?? [])]
  return { ...found, start: 0, end: 0, terms, match: named.length > 0 ? 'name' : 'words' }
}

/** A name counts as much as a frequent word of the event. */
const nameWeight = 2

/** Keeps only results that contain the quoted text, unless none does. */
function* narrow(found: LogSearchResult, { phrases }: ParsedQuery): Steps<LogSearchResult> {
  if (phrases.length === 0) return found
  const ranked: RankedEntry[] = []
  for (const each of found.ranked) {
    yield
    if (each.match === 'exact' || phrases.every((phrase) => phrase.find(each.entry.text))) ranked.push(each)
  }
  if (ranked.length > 0 || found.ranked.length === 0) return { ...found, ranked }
  const message = 'No event contains the quoted words verbatim: the results contain other words of the query.'
  return { ...found, notes: [{ code: 'phrase-missing', message }] }
}
