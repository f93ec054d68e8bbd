import { TenfoldError } from '../errors.ts'
import type { Note } from '../session/note.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import type { BundleFilter } from '../store/list-entries.ts'
import { type Asked, ask, fitRecalled, hitsOf, type RecallOptions } from './asked.ts'
import { type FoundEntry, foundIn } from './hit.ts'
import { type OpenArchiveOptions, openArchivedLog } from './open-archive.ts'
import type { Recalled } from './recalled.ts'
import type { SearchEntry } from './search-entry.ts'
import { inOrderOfLogs, searchLog } from './search-log.ts'
import type { SearchedLog } from './searchable-log.ts'
import { addCounts, type TermCounts } from './word-index.ts'

/** Options of {@link recallAll}. */
export interface RecallAllOptions extends RecallOptions, OpenArchiveOptions {
  /** Which bundles. @default all bundles of the store */
  readonly filter?: Omit<BundleFilter, 'limit'> | undefined
  /** Only bundles of sessions that had ended by then. @default all */
  readonly before?: Date | undefined
  /** Maximum number of logs that are searched, the newest ones. @default all */
  readonly maxLogs?: number | undefined
  /** Called before each log is read. */
  readonly onLog?: ((done: number, of: number) => void) | undefined
}

/**
 * Runs {@link recall} over the logs of all bundles of a store: has this been seen before? One score ranks the hits of all
 * logs, and of equally good ones the newest is first. Only one log is in memory at a time, a log of several bundles is
 * read once, newest first, and once `limit` hits are exact the older logs are not read. Logs that cannot be read become
 * notes.
 */
export async function recallAll(
  store: BundleStore,
  query: string,
  options: RecallAllOptions = {},
): Promise<Recalled> {
  const asked = ask(query, options)
  const { maxLogs = Number.POSITIVE_INFINITY, signal, onLog, before } = options
  const listed = await store.list(options.filter ?? {})
  const ended = listed.filter(({ createdAt }) => before === undefined || new Date(createdAt) < before)
  const sources = onePerLog(ended)
  let found: FoundEntry[] = []
  let counts: TermCounts = { entries: 0, holding: [] }
  const seen = new Set<string>()
  const logs: SearchedLog[] = []
  const notes = noteCounts()
  let matched = 0
  let exact = 0
  for (const [age, id] of sources.entries()) {
    if (age >= maxLogs || isEnough(found, asked)) break
    signal?.throwIfAborted()
    onLog?.(age, sources.length)
    const log = await readable(() => open(store, id, options), notes)
    if (log === undefined) continue
    const result = searchLog(log, asked.query, { ...asked.facets, exact: asked.exact })
    const fresh = result.ranked.filter(({ entry }) => addNew(seen, log.log.sessionId, entry))
    logs.push(log.log)
    matched += fresh.length
    exact += fresh.filter(({ match }) => match === 'exact').length
    counts = addCounts(counts, result.counts)
    for (const note of [...log.notes, ...result.notes]) notes.add(note)
    // Matches that do not make it into the result hold no memory; how rare a word is shows in the end.
    const best = fresh.slice(0, asked.limit).map((entry) => foundIn(log, entry, asked.context))
    found = inOrderOfLogs([...found, ...best], counts).slice(0, asked.limit * keptPerHit)
  }
  const unsearched = sources.length - logs.length - notes.failed
  const all = { query: asked.query.text, matched, exact, logs, unsearched, notes: notes.all() }
  return fitRecalled(all, hitsOf(found, asked), asked)
}

/** Matches that are kept for each hit until all logs are read. */
const keptPerHit = 4

/** The log of a continued session is archived again, with more at its end: its events are taken once. */
function addNew(seen: Set<string>, sessionId: string, { id, text }: SearchEntry): boolean {
  const key = `${sessionId} ${id} ${text.length}`
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

async function open(store: BundleStore, id: string, options: OpenArchiveOptions) {
  return await openArchivedLog(store, await store.load(id), options)
}

/** Ids of the newest bundle of each log, newest first. */
function onePerLog(entries: readonly { readonly id: string; readonly sourceSha256: string }[]): string[] {
  const newest = new Map<string, string>()
  for (const { id, sourceSha256 } of entries.toReversed())
    if (!newest.has(sourceSha256)) newest.set(sourceSha256, id)
  return [...newest.values()]
}

/** Listed events are not ranked: the newest are the first. */
function isEnough(found: readonly FoundEntry[], { limit }: Asked): boolean {
  return found.filter(({ match }) => match === 'exact' || match === 'listed').length >= limit
}

async function readable<T>(
  read: () => Promise<T>,
  notes: { fail(error: TenfoldError): void },
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    notes.fail(error)
    return undefined
  }
}

const maxNotes = 3

/** The first notes of each code, and the number of the others. */
function noteCounts() {
  const byCode = new Map<string, { first: Note[]; count: number }>()
  let failed = 0
  const add = (note: Note): void => {
    const held = byCode.get(note.code) ?? { first: [], count: 0 }
    held.count += 1
    if (held.first.length < maxNotes && !held.first.some(({ message }) => message === note.message))
      held.first.push(note)
    byCode.set(note.code, held)
  }
  return {
    add,
    fail(error: TenfoldError) {
      failed += 1
      add({ code: error.code, message: error.message })
    },
    get failed() {
      return failed
    },
    all: (): Note[] =>
      [...byCode].flatMap(([code, { first, count }]) =>
        count <= first.length
          ? first
          : [...first, { code, message: `The same applies to others, ${count} in total.`, count }],
      ),
  }
}
