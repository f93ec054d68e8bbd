import type { ContextBundle } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import { bundleStoreObject, isObject, wrongType } from '../options/check.ts'
import { pausing } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { type Asked, ask, fitRecalled } from './asked.ts'
import { foundIn, keptPerHit } from './found-entry.ts'
import { openArchivedLog } from './open-archive.ts'
import { type RecallAllOptions, recallAll } from './recall-all.ts'
import type { Recalled } from './recalled.ts'
import { searchLog } from './search-log.ts'
import { type SearchableLog, searchSteps } from './searchable-log.ts'

/** Options of {@link recall} in a store. */
export interface RecallInStoreOptions extends RecallAllOptions {
  /**
   * Only the log of this bundle, given as itself, its id, the beginning of its id, or `LATEST`. @default all bundles of
   * the track
   */
  readonly bundle?: string | ContextBundle | undefined
  /** @default 'main' */
  readonly track?: string | undefined
}

/**
 * Searches the log of a session. Event ids (`e17`, `e10-e20`) select events; otherwise events that contain the query
 * verbatim come first, then those with all of its words, then those with some: rare words and names (path, flag,
 * digest) before frequent ones. An empty query lists what the facets select. Given a store, it searches the logs of all
 * bundles of the track like {@link recallAll}, or that of one bundle; event ids refer to the newest. Throws {@link
 * TenfoldError} `bad-query` or `no-bundle`, and the errors of {@link openArchivedLog}.
 */
export async function recall(
  from: Session | SearchableLog | BundleStore,
  query: string,
  options: RecallInStoreOptions = {},
): Promise<Recalled> {
  if (!isObject(from)) throw wrongType('from', 'a Session, a SearchableLog or a BundleStore', from)
  // An invalid query is reported before a log is read.
  const asked = ask(query, options)
  options.signal?.throwIfAborted()
  if ('entries' in from) return await recallIn(from, asked, options.signal)
  if ('events' in from)
    return await recallIn(await pausing(searchSteps(from), options.signal), asked, options.signal)
  bundleStoreObject('from', from)
  const { bundle, track = 'main' } = options
  // All logs have the same event ids, so ids select one log.
  const namesEvents = asked.query.events.length > 0 || options.events !== undefined
  if (bundle === undefined && !namesEvents) {
    const [any] = await from.list({ track, limit: 1 }, options)
    if (any === undefined) throw await nothingOn(track, from)
    return await recallAll(from, query, { ...options, filter: { ...options.filter, track } })
  }
  const log = await openArchivedLog(from, await bundleOf(from, options), options)
  return await recallIn(log, asked, options.signal)
}

async function bundleOf(store: BundleStore, options: RecallInStoreOptions): Promise<ContextBundle> {
  const { bundle, signal } = options
  if (typeof bundle === 'object') return bundle
  if (bundle === undefined || bundle === 'LATEST') return await latestOf(store, options)
  return await store.load(bundle, { signal })
}

async function latestOf(
  store: BundleStore,
  { track = 'main', before, signal }: RecallInStoreOptions,
): Promise<ContextBundle> {
  const ended =
    before === undefined
      ? undefined
      : (await store.list({ track })).findLast(({ createdAt }) => new Date(createdAt) < before)
  if (ended !== undefined) return await store.load(ended.id, { signal })
  const latest = await store.latest(track, { signal })
  if (latest !== undefined) return latest.bundle
  throw await nothingOn(track, store)
}

async function nothingOn(track: string, store: BundleStore): Promise<TenfoldError> {
  const tracks = await store.tracks()
  return new TenfoldError(
    'no-bundle',
    `There is no bundle on track ${track} in ${store.storage.name}. ${tracks.length === 0 ? 'Compress a log first.' : `It has the tracks ${tracks.join(', ')}: choose one (option track).`}`,
  )
}

async function recallIn(
  log: SearchableLog,
  asked: Asked,
  signal: AbortSignal | undefined,
): Promise<Recalled> {
  const steps = searchLog(log, asked.query, { ...asked.facets, exact: asked.exact })
  const { ranked, notes } = await pausing(steps, signal)
  const exact = ranked.filter(({ match }) => match === 'exact').length
  const all = [...log.notes, ...notes]
  const found = {
    ...{ query: asked.query.text, matched: ranked.length, exact },
    ...{ logs: [log.log], searched: 1, unsearched: 0, notes: all },
  }
  const best = ranked.slice(0, asked.limit * keptPerHit).map((entry) => foundIn(log, entry, asked.context))
  return await pausing(fitRecalled(found, best, asked), signal)
}
