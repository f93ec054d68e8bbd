import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { createdAtOf } from '../bundle/bundle-id.ts'
import { type BundleKind, bundleKinds } from '../bundle/bundle-names.ts'
import { bundleId, idTime, trackName } from '../bundle/fields.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { StorageError } from '../errors.ts'
import { known } from '../session/known.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import type { Storage } from '../storage/storage.ts'
import { bundleKey, historyIndexKey } from './keys.ts'
import { bundleLayout, listPlaces, type Place } from './track-places.ts'
import { type EntryKind, type OnDamaged, readEntries } from './track-store.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const sha256 = lazySchema(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)))

/** Schema of a history entry, version 1. Unknown fields of later versions are ignored. */
export const historyEntrySchema = lazySchema(() =>
  z
    .object({
      schemaVersion: z.literal(1),
      id: bundleId,
      kind: z.enum(bundleKinds),
      track: trackName,
      createdAt: idTime,
      /** Key of the bundle's JSON; `sha256` and `size` are those of its bytes. */
      key: z.string(),
      sha256,
      size: count,
      format: z.string(),
      sessionId: z.string(),
      title: z.optional(z.string()),
      cwd: z.optional(z.string()),
      task: z.optional(z.string()),
      previous: z.optional(bundleId),
      sourceTokens: count,
      bundleTokens: count,
      ratio: z.number().check(z.nonnegative()),
      band: z.string(),
      /** Digest of the log of the bundle. */
      sourceSha256: sha256,
      /** State of the session at the end of its log. */
      state: z.optional(z.string()),
      /** Action of the first next step. */
      nextStep: z.optional(z.string()),
    })
    .check(
      z.refine((entry) => entry.key === bundleKey(entry.id), {
        path: ['key'],
        error: 'expected the key of the bundle',
      }),
    ),
)

/** One save in the history of a track, with the fields that a list of bundles shows. */
export type HistoryEntry = z.infer<typeof historyEntrySchema>

export const bundleEntries: EntryKind<HistoryEntry> = {
  name: 'bundle',
  ...bundleLayout,
  entrySchema: historyEntrySchema,
}

export function historyEntryOf(bundle: ContextBundle, json: Uint8Array): HistoryEntry {
  const { source, compression } = bundle
  const [next] = bundle.nextSteps
  return {
    schemaVersion: 1,
    id: bundle.id,
    kind: bundle.kind,
    track: bundle.track,
    createdAt: bundle.createdAt,
    key: bundleKey(bundle.id),
    sha256: createHash('sha256').update(json).digest('hex'),
    size: json.byteLength,
    format: source.format,
    sessionId: source.sessionId,
    ...known({ title: source.title, cwd: source.cwd, task: bundle.task, previous: bundle.previous }),
    sourceTokens: compression.sourceTokens,
    bundleTokens: compression.bundleTokens,
    ratio: compression.ratio,
    band: compression.band,
    sourceSha256: source.sha256,
    ...known({ state: bundle.state, nextStep: next?.action }),
  }
}

/** Raise it if the fields of entries change. */
const version = 2

type EntryIndex = ReadonlyMap<string, HistoryEntry>

/**
 * Reads the copy of all entries: one object instead of thousands. It has a line with its digest, then the entries,
 * which were checked before and never change.
 */
async function readEntryIndex(storage: Storage): Promise<EntryIndex> {
  const stored = await storage.get(historyIndexKey)
  const { buffer, byteOffset, byteLength } = stored?.bytes ?? new Uint8Array()
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const end = bytes.indexOf('\n')
  const json = bytes.subarray(end + 1)
  // A damaged copy, or one of another version, is made again.
  const isIntact = bytes.toString('latin1', 0, Math.max(0, end)) === headOf(json)
  return isIntact ? new Map(JSON.parse(json.toString())) : new Map()
}

function headOf(json: string | Uint8Array): string {
  return `tenfold-history ${version} ${createHash('sha256').update(json).digest('hex')}`
}

/** Writes the copy, unless the store cannot be written. */
async function writeEntryIndex(storage: Storage, entries: EntryIndex): Promise<void> {
  try {
    const json = JSON.stringify([...entries])
    await storage.put(historyIndexKey, Buffer.from(`${headOf(json)}\n${json}`))
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

/** Selects the entries that `list` returns. */
export interface BundleFilter {
  /** Only bundles of this track. */
  readonly track?: string | undefined
  /** Only bundles of this kind. */
  readonly kind?: BundleKind | undefined
  /** Only bundles of this session. */
  readonly sessionId?: string | undefined
  /** Only bundles of this task. */
  readonly task?: string | undefined
  /** Only bundles made at this time or later. */
  readonly since?: Date | undefined
  /** Only bundles made before this time. */
  readonly until?: Date | undefined
  /** Maximum number of entries, the newest ones. Entries are read from the newest back until enough are found. */
  readonly limit?: number | undefined
}

/** Returns the matching entries without damaged ones, which must not block other work. */
export async function readableEntries(storage: Storage, filter: BundleFilter): Promise<HistoryEntry[]> {
  return await listEntries(storage, filter, () => undefined)
}

/** Number of entries read at a time if the newest ones do not match. For at least as many, the copy is read instead. */
const laterReads = 64

/** Share of a history that may be missing in its copy before the copy is rewritten. */
const maxMissing = 1 / 16

/** Returns all matching entries, oldest first. Damaged ones go to `onDamaged`. */
export async function listEntries(
  storage: Storage,
  filter: BundleFilter,
  onDamaged: OnDamaged,
): Promise<HistoryEntry[]> {
  const { track, since, until } = filter
  const places = (await listPlaces(storage, bundleEntries, track, since?.getTime())).filter(
    ({ id }) => (!since && !until) || isInTime(createdAtOf(id), filter),
  )
  const { limit = places.length } = filter
  let index: EntryIndex | undefined
  const read = async (some: readonly Place[]): Promise<HistoryEntry[]> => {
    if (some.length < laterReads) return await readEntries(storage, bundleEntries, some, onDamaged)
    index ??= await readEntryIndex(storage)
    const isAll = some.length === places.length && !track && !since && !until
    return await readThrough(storage, { index, isAll }, some, onDamaged)
  }
  const found: HistoryEntry[] = []
  let size = limit
  for (let end = places.length; end > 0 && found.length < limit; size = Math.max(size, laterReads)) {
    const start = Math.max(0, end - size)
    const entries = await read(places.slice(start, end))
    found.unshift(...entries.filter((entry) => matches(entry, filter)))
    end = start
  }
  return found.slice(Math.max(0, found.length - limit))
}

/** Reads the entries that the copy lacks, and rewrites the copy if there are many. */
async function readThrough(
  storage: Storage,
  { index, isAll }: { readonly index: EntryIndex; readonly isAll: boolean },
  places: readonly Place[],
  onDamaged: OnDamaged,
): Promise<HistoryEntry[]> {
  const nameOf = ({ track, id }: Pick<Place, 'track' | 'id'>) => `${track}/${id}`
  const held = places.map(({ key, id, track }) => {
    const entry = index.get(key)
    return entry?.id === id && entry.track === track ? entry : undefined
  })
  const missing = places.filter((_, at) => held[at] === undefined)
  const read = await readEntries(storage, bundleEntries, missing, onDamaged)
  const byName = new Map(read.map((entry) => [nameOf(entry), entry]))
  const entries = places.map((place, at) => held[at] ?? byName.get(nameOf(place)))
  if (missing.length > Math.max(laterReads, places.length * maxMissing)) {
    const now = new Map(isAll ? [] : index)
    for (const [at, { key }] of places.entries()) {
      const entry = entries[at]
      if (entry !== undefined) now.set(key, entry)
    }
    await writeEntryIndex(storage, now)
  }
  return entries.filter((entry) => entry !== undefined)
}

function matches(entry: HistoryEntry, filter: BundleFilter): boolean {
  return (
    (filter.kind === undefined || entry.kind === filter.kind) &&
    (filter.sessionId === undefined || entry.sessionId === filter.sessionId) &&
    (filter.task === undefined || entry.task === filter.task) &&
    isInTime(entry.createdAt, filter)
  )
}

function isInTime(time: string, { since, until }: BundleFilter): boolean {
  return (
    (since === undefined || time >= since.toISOString()) &&
    (until === undefined || time < until.toISOString())
  )
}
