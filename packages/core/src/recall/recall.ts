import type { ContextBundle } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import { createRedaction, type Redaction } from '../redact/redaction.ts'
import type { Redactor } from '../redact/redactor.ts'
import { secretRedactor } from '../redact/secret-redactor.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import type { RecallFacets } from './facets.ts'
import { fitHits, type HitCandidate, hitOf } from './hit.ts'
import { type OpenArchiveOptions, openArchivedLog } from './open-archive.ts'
import { type ParsedQuery, parseQuery } from './query.ts'
import { type Recalled, textAround } from './recalled.ts'
import type { SearchEntry } from './search-entry.ts'
import { searchLog } from './search-log.ts'
import { type SearchableLog, searchableLog } from './searchable-log.ts'

/** Options of {@link recall} and {@link recallAll}. */
export interface RecallOptions extends RecallFacets {
  /** Only events that hold the query verbatim, in any case: neither names in it nor words. @default false */
  readonly exact?: boolean | undefined
  /** Maximum number of hits. @default 10 */
  readonly limit?: number | undefined
  /** Maximum tokens of the result as text. Throws RangeError below 200. @default 2000 */
  readonly maxTokens?: number | undefined
  /** Number of events of the same agent that are shown before and after each hit. @default 0 */
  readonly context?: number | undefined
  /** @default the counter of `tiktokenCounter('o200k_base')` */
  readonly counter?: TokenCounter | undefined
  /** Find secrets that the archive still holds, which are replaced by marks. @default secretRedactor() */
  readonly redactors?: readonly Redactor[] | undefined
}

/** Options of {@link recall} in a store. */
export interface RecallInStoreOptions extends RecallOptions, OpenArchiveOptions {
  /** The bundle, its id, or the beginning of one. @default the newest one of the track */
  readonly bundle?: string | ContextBundle | undefined
  /** @default 'main' */
  readonly track?: string | undefined
}

/**
 * Searches the log of a session: event ids (`e17`, `e10-e20`) name events; otherwise events that hold the query
 * verbatim come first, then those with a name from it (path, flag, digest), then ranked full text. An empty query lists
 * what the facets select. Given a store, searches the log of a bundle, from the archive. Throws {@link TenfoldError}
 * `bad-query` or `no-bundle`, and whatever {@link openArchivedLog} throws.
 */
export async function recall(
  from: Session | SearchableLog | BundleStore,
  query: string,
  options: RecallInStoreOptions = {},
): Promise<Recalled> {
  // A wrong query is reported before a log is read.
  const asked = ask(query, options)
  options.signal?.throwIfAborted()
  if ('entries' in from) return recallIn(from, asked)
  if ('events' in from) return recallIn(searchableLog(from), asked)
  const bundle = await bundleOf(from, options)
  const log = await openArchivedLog(from, bundle, options)
  return recallIn(log, asked)
}

async function bundleOf(
  store: BundleStore,
  { bundle, track = 'main', signal }: RecallInStoreOptions,
): Promise<ContextBundle> {
  if (typeof bundle === 'object') return bundle
  if (bundle !== undefined && bundle !== 'LATEST') return await store.load(bundle, { signal })
  const latest = await store.latest(track, { signal })
  if (latest !== undefined) return latest.bundle
  const tracks = await store.tracks()
  throw new TenfoldError(
    'no-bundle',
    `There is no bundle on track ${track} in ${store.storage.name}. ${tracks.length === 0 ? 'Compress a log first.' : `It has the tracks ${tracks.join(', ')}: choose one (option track).`}`,
  )
}

/** A query whose options are checked. */
export interface Asked {
  readonly query: ParsedQuery
  readonly facets: RecallFacets
  readonly exact: boolean
  readonly limit: number
  readonly maxTokens: number
  readonly context: number
  readonly counter: TokenCounter
  readonly redaction?: Redaction
}

const minTokens = 200
const maxContext = 20

/** Checks a query and its options. Throws {@link TenfoldError} `bad-query` or RangeError. */
export function ask(query: string, options: RecallOptions): Asked {
  const { limit = 10, maxTokens = 2000, context = 0, counter = tiktokenCounter() } = options
  const { redactors = [secretRedactor()], exact = false } = options
  if (!(maxTokens >= minTokens))
    throw new RangeError(`expected maxTokens of at least ${minTokens}, got ${maxTokens}`)
  if (!Number.isInteger(limit) || limit < 1)
    throw new RangeError(`expected a limit of at least 1, got ${limit}`)
  if (!Number.isInteger(context) || context < 0 || context > maxContext)
    throw new RangeError(`expected a context of 0 to ${maxContext} events, got ${context}`)
  const { kinds, agent, tool, path, turns, events } = options
  return {
    query: parseQuery(query),
    facets: { kinds, agent, tool, path, turns, events },
    exact,
    limit,
    maxTokens,
    context,
    counter,
    ...(redactors.length > 0 && { redaction: createRedaction(redactors) }),
  }
}

const maxExcerptTokens = 400
const minExcerptTokens = 40

/** Results from one log. */
export interface HitsOfLog {
  readonly hits: readonly HitCandidate[]
  readonly matched: number
  readonly exact: number
  readonly notes: readonly Note[]
}

/** How one log of perhaps several is searched. */
export interface HitsOfLogOptions {
  /** @default the available room */
  readonly excerptTokens?: number | undefined
  /** Leaves out entries that were found before. */
  readonly isNew?: ((entry: SearchEntry) => boolean) | undefined
}

/** Returns the hits of one log, the best `limit`; for named events, as much as there is room for. */
export function hitsOf(
  log: SearchableLog,
  asked: Asked,
  { excerptTokens, isNew }: HitsOfLogOptions = {},
): HitsOfLog {
  const { query, facets, limit, maxTokens, context, counter, redaction } = asked
  const { ranked, notes } = searchLog(log, query, { ...facets, exact: asked.exact })
  const fresh = isNew === undefined ? ranked : ranked.filter(({ entry }) => isNew(entry))
  const first = fresh.slice(0, limit)
  const most = first[0]?.match === 'event' ? maxTokens : maxExcerptTokens
  const share = Math.floor(maxTokens / Math.max(1, first.length * (1 + (context * 2) / 3)))
  const size = excerptTokens ?? Math.max(minExcerptTokens, Math.min(most, share - headTokens))
  const options = { excerptTokens: size, context, counter, redaction }
  const hits = first.map((entry) => hitOf(log, entry, options))
  const exact = fresh.filter(({ match }) => match === 'exact').length
  return { hits, matched: fresh.length, exact, notes }
}

/** Approximate tokens of the line above an excerpt. */
const headTokens = 40

/** Makes the result, with as many of the hits as fit into its text. */
export function fitRecalled(
  found: Omit<Recalled, 'hits'>,
  hits: readonly HitCandidate[],
  { maxTokens, counter, redaction }: Asked,
): Recalled {
  const clean = redaction === undefined ? found : { ...found, ...withoutSecrets(found, redaction) }
  const room = maxTokens - counter.count(textAround(clean)) - edge
  return { ...clean, hits: fitHits(hits, { maxTokens: room, counter, several: found.logs.length > 1 }) }
}

/** Titles, ids and notes are from the log, too. */
function withoutSecrets({ logs, notes }: Omit<Recalled, 'hits'>, redaction: Redaction) {
  redaction.learnValue([logs, notes])
  return { logs: redaction.redactValue(logs), notes: redaction.redactValue(notes) }
}

/** Maximum difference of tokens at the edges of two texts. */
const edge = 4

function recallIn(log: SearchableLog, asked: Asked): Recalled {
  const { hits, matched, exact, notes } = hitsOf(log, asked)
  const all = [...log.notes, ...notes]
  const found = { query: asked.query.text, matched, exact, logs: [log.log], unsearched: 0, notes: all }
  return fitRecalled(found, hits, asked)
}
