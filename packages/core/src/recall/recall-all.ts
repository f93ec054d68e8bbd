import { TenfoldError } from '../errors.ts'
import { bundleStoreObject } from '../options/check.ts'
import type { Note } from '../session/note.ts'
import { pause, pausing, type Steps } from '../session/pauses.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import type { BundleFilter, HistoryEntry } from '../store/history.ts'
import { type Asked, ask, fitRecalled, type RecallOptions } from './asked.ts'
import { type FoundEntry, foundIn, keptPerHit } from './found-entry.ts'
import { readWords } from './log-cache.ts'
import { type OpenArchiveOptions, openArchivedLog } from './open-archive.ts'
import { termsOf } from './query.ts'
import type { Recalled } from './recalled.ts'
import type { SearchEntry } from './search-entry.ts'
import { inOrderOfLogs, searchLog } from './search-log.ts'
import type { SearchableLog, SearchedLog } from './searchable-log.ts'
import { addCounts, raritiesOf, scoreOf, type TermCounts, type WordIndex } from './words.ts'

/** Options of {@link recallAll}. */
export interface RecallAllOptions extends RecallOptions, OpenArchiveOptions {
  /** Selects the bundles. @default all bundles of the store */
  readonly filter?: Omit<BundleFilter, 'limit'> | undefined
  /** Only bundles of sessions that ended before this time. @default all */
  readonly before?: Date | undefined
  /**
   * Maximum number of logs that are read, those with most of the words first.
   * @default 12; without words, or with `exact`, more if these have fewer than 100 hits or than `limit`
   */
  readonly maxLogs?: number | undefined
  /** Called before each log is read. */
  readonly onLog?: ((done: number, of: number) => void) | undefined
}

/**
 * Runs {@link recall} over the logs of all bundles of a store. All logs are ranked by their stored words, then the best
 * ones are read, one at a time, and a common score ranks all events. Among equal ones the newest is first. Logs that
 * cannot be read become notes.
 */
export async function recallAll(
  store: BundleStore,
  query: string,
  options: RecallAllOptions = {},
): Promise<Recalled> {
  bundleStoreObject('store', store)
  const asked = ask(query, options)
  const { signal, onLog, before } = options
  signal?.throwIfAborted()
  const listed = await store.list(options.filter ?? {}, { signal })
  const ended = listed.filter(({ createdAt }) => before === undefined || new Date(createdAt) < before)
  const sources = onePerLog(ended)
  const notes = noteCounts()
  const noted = { ...options, notes }
  const { ranked, counts } = await rankLogs(store, sources, asked, noted)
  const maxLogs =
    options.maxLogs ?? (asked.query.whole === undefined || asked.exact ? sources.length : bestLogs)
  let found: (FoundEntry & Pick<RankedLog, 'age'>)[] = []
  let names: TermCounts = { entries: 0, holding: [] }
  const seen = new Set<string>()
  const logs: SearchedLog[] = []
  let matched = 0
  let exact = 0
  let tried = 0
  for (const { entry, prior, age } of ranked) {
    // Listed events are not ranked, so the newest logs have the first ones.
    const sure = asked.query.whole === undefined ? matched : exact
    if (tried === maxLogs || (tried >= bestLogs && sure >= Math.max(asked.limit, countedHits))) break
    signal?.throwIfAborted()
    onLog?.(tried, Math.min(maxLogs, ranked.length))
    tried += 1
    const log = await open(store, entry, noted)
    if (log === undefined) continue
    const result = await pausing(searchLog(log, asked.query, { ...asked.facets, exact: asked.exact }), signal)
    const fresh = result.ranked.filter((each) => addNew(seen, log.log.sessionId, each.entry))
    logs.push(log.log)
    matched += fresh.length
    exact += fresh.filter(({ match }) => match === 'exact').length
    names = addCounts(names, result.counts)
    for (const note of [...log.notes, ...result.notes]) notes.add(note)
    // Keeps only matches that can be in the result, to save memory.
    const kept = fresh.slice(0, asked.limit * keptPerHit)
    found = [...found, ...kept.map((each) => ({ ...foundIn(log, each, asked.context), prior, age }))]
  }
  // How many events contain a name is known only for logs that were read.
  const all = { ...counts, holding: names.holding.map((held, index) => counts.holding[index] ?? held) }
  const unsearched = ranked.length - tried
  const result = { query: asked.query.text, matched, exact, logs, searched: sources.length, unsearched }
  const newestFirst = found.sort((a, b) => a.age - b.age)
  const best = inOrderOfLogs(newestFirst, all)
  return await pausing(fitRecalled({ ...result, notes: notes.all() }, best, asked), signal)
}

/** Number of logs to read first: if the best ones do not answer a question, further ones rarely do. */
const bestLogs = 12

/**
 * Further logs are read up to this many certain hits, regardless of `limit`, so that the number of matches does not
 * depend on it.
 */
const countedHits = 100

/** Factor for the scores of a log that contains nothing else of the query. */
const leastPrior = 0.5

type NotedOptions = RecallAllOptions & { readonly notes: ReturnType<typeof noteCounts> }

interface RankedLog {
  readonly entry: HistoryEntry
  readonly prior: number
  readonly age: number
}

async function rankLogs(
  store: BundleStore,
  sources: readonly HistoryEntry[],
  asked: Asked,
  options: NotedOptions,
): Promise<{ readonly ranked: readonly RankedLog[]; readonly counts: TermCounts }> {
  const { query, exact } = asked
  const counts: TermCounts = { entries: 0, holding: [] }
  if (query.whole === undefined)
    return { ranked: sources.map((entry, age) => ({ entry, prior: 1, age })), counts }
  const all = termsOf(query.whole.text)
  const known = await eachWords(store, sources, options, function* (words) {
    const { hits, counts: held } = yield* words.search(query.terms)
    return { hits, held, mayHold: words.mayHold(all) }
  })
  const total = known.reduce((sum, { held }) => addCounts(sum, held), counts)
  const rarities = raritiesOf(total)
  const whole = rarities.reduce((sum, rarity) => sum + rarity, 0)
  const ages = new Map(sources.map((entry, age) => [entry, age]))
  const scored: (RankedLog & { readonly score: number; readonly mayHold: boolean })[] = []
  for (const { entry, hits, held, mayHold } of known) {
    const share = rarities.reduce((sum, rarity, index) => sum + (held.holding[index] ? rarity : 0), 0)
    const prior = leastPrior + ((1 - leastPrior) * share) / (whole || 1)
    let best = 0
    for (const { weights, factor } of hits) best = Math.max(best, scoreOf(weights, rarities) * factor)
    scored.push({ entry, age: ages.get(entry) ?? 0, prior, score: best * prior, mayHold })
    await pause()
  }
  const ranked = scored
    .filter(({ score, mayHold }) => mayHold || (score > 0 && !exact))
    .sort((a, b) => b.score - a.score)
  return { ranked, counts: total }
}

const parallelReads = 32

/** Applies `look` to the words of each log. Missing words are collected first by reading the log. */
async function eachWords<T extends object>(
  store: BundleStore,
  sources: readonly HistoryEntry[],
  options: NotedOptions,
  look: (words: WordIndex) => Steps<T>,
): Promise<(T & { readonly entry: HistoryEntry })[]> {
  const { signal, onLog } = options
  const lookAt = async (entry: HistoryEntry, words: WordIndex | undefined) => {
    return words && { ...(await pausing(look(words), signal)), entry }
  }
  const looked = await inParallel(sources, parallelReads, async (entry) =>
    lookAt(entry, await readWords(store.storage, { ...entry, sha256: entry.sourceSha256 })),
  )
  const missing = sources.filter((_, at) => looked[at] === undefined)
  for (const [done, entry] of missing.entries()) {
    onLog?.(done, missing.length)
    const log = await open(store, entry, options)
    const words = log && (await pausing(log.index(), signal))
    looked[sources.indexOf(entry)] = await lookAt(entry, words)
  }
  return looked.filter((one) => one !== undefined)
}

/** A continued session has its log archived again, longer: repeated events count once. */
function addNew(seen: Set<string>, sessionId: string, { id, text }: SearchEntry): boolean {
  const key = `${sessionId} ${id} ${text.length}`
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

async function open(
  store: BundleStore,
  { id }: HistoryEntry,
  options: NotedOptions,
): Promise<SearchableLog | undefined> {
  try {
    return await openArchivedLog(store, await store.load(id, options), options)
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    options.notes.add({ code: error.code, message: error.message })
    return undefined
  }
}

/** Returns the newest bundle of each log, newest first; a log may hold several sessions. */
function onePerLog(entries: readonly HistoryEntry[]): HistoryEntry[] {
  const newest = new Map<string, HistoryEntry>()
  for (const entry of entries.toReversed()) {
    const log = `${entry.sourceSha256} ${entry.sessionId}`
    if (!newest.has(log)) newest.set(log, entry)
  }
  return [...newest.values()]
}

/** Collects the first note of each code and counts the others, to leave the tokens for hits. */
function noteCounts() {
  const byCode = new Map<string, { first: Note; messages: Set<string> }>()
  const add = (note: Note): void => {
    const held = byCode.get(note.code) ?? { first: note, messages: new Set() }
    byCode.set(note.code, { ...held, messages: held.messages.add(note.message) })
  }
  return {
    add,
    all: (): Note[] =>
      [...byCode.values()].map(({ first, messages: { size } }) => {
        if (size === 1) return first
        const others = size === 2 ? '1 other log' : `${size - 1} other logs`
        return { ...first, message: `${first.message} The same applies to ${others}.` }
      }),
  }
}
