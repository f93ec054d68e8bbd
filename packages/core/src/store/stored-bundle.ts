import { idPattern } from '../bundle/bundle-id.ts'
import { bundleToMarkdown } from '../bundle/markdown.ts'
import { parsingSteps } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { InvalidBundleError, StorageError } from '../errors.ts'
import { atOnce, pausing, type Steps } from '../session/pauses.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, parseStoredJson } from '../storage/stored-json.ts'
import { bundleEntries, type HistoryEntry, historyEntryOf } from './history.ts'
import { bundleKey, bundleMarkdownKey, getKept, latestKey, latestMarkdownKey, prunedKey } from './keys.ts'
import { renewCopies } from './latest-copies.ts'
import type { Place } from './track-places.ts'
import { findNewest, type Newest, readCommitted, type TrackKind } from './track-store.ts'

export const bundleTracks: TrackKind<ContextBundle, HistoryEntry> = {
  ...bundleEntries,
  objectKey: (_, id) => bundleKey(id),
  markdownKey: (_, id) => bundleMarkdownKey(id),
  decode: (key, bytes) =>
    pausing(decodingSteps(key.slice('bundles/'.length, -'.json'.length), bytes), undefined),
  entryOf: historyEntryOf,
}

const idOrPrefix = /^[0-9][0-9A-Za-z-]{0,27}$/
const shownCandidates = 5

/** Returns the one id in the store with this beginning. Throws {@link StorageError} if there is none or more than one. */
export async function resolveBundleId(storage: Storage, id: string): Promise<string> {
  if (idPattern.test(id)) return id
  if (!idOrPrefix.test(id))
    throw new StorageError(
      '',
      `expected the id of a bundle or its beginning, got ${JSON.stringify(String(id).slice(0, 60))}`,
    )
  const kept = await idsBelow(storage, 'bundles/', id)
  const found = kept.length > 0 ? kept : await idsBelow(storage, prunedKey('bundles/'), id)
  const [first, second] = found
  if (first === undefined)
    throw new StorageError(bundleKey(id), `${storage.name} holds no bundle whose id begins with ${id}`, {
      code: 'no-bundle',
    })
  if (second === undefined) return first
  const shown = found.slice(0, shownCandidates).join(', ')
  throw new StorageError(
    bundleKey(id),
    `${id} is the beginning of ${found.length} ids (${shown} …); give more of it`,
  )
}

async function idsBelow(storage: Storage, folder: string, id: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of storage.list(`${folder}${id}`, { sizes: false })) {
    if (key.endsWith('.json')) found.push(key.slice(folder.length, -'.json'.length))
  }
  return found
}

/**
 * Reads a bundle by its full id, even if prune moved it. Throws {@link StorageError} if it is missing or unreadable,
 * {@link InvalidBundleError} if it is not a bundle.
 */
export async function readStoredBundle(
  storage: Storage,
  id: string,
  signal?: AbortSignal,
): Promise<ContextBundle> {
  const key = bundleKey(id)
  const stored = await getKept(storage, key)
  if (stored === undefined)
    throw new StorageError(key, `${storage.name} holds no bundle ${id}`, { code: 'no-bundle' })
  return await pausing(decodingSteps(id, stored.bytes), signal)
}

/**
 * Decodes the bytes of the bundle with this id. Throws {@link StorageError} or {@link InvalidBundleError} that names
 * its key.
 */
export function decodeBundle(id: string, bytes: Uint8Array): ContextBundle {
  return atOnce(decodingSteps(id, bytes))
}

function* decodingSteps(id: string, bytes: Uint8Array): Steps<ContextBundle> {
  const key = bundleKey(id)
  const value = parseStoredJson(key, bytes)
  try {
    const bundle = yield* parsingSteps(value)
    if (bundle.id !== id) throw damaged(key, `it holds the bundle ${bundle.id}`)
    return bundle
  } catch (error) {
    if (!(error instanceof InvalidBundleError)) throw error
    throw new InvalidBundleError(`${key}: ${error.message}`, error.issues, { cause: error })
  }
}

/** Returns how the stored bytes of a bundle differ from its entry; undefined if they match. */
export async function faultOfEntry(storage: Storage, entry: HistoryEntry): Promise<string | undefined> {
  const found = await readCommitted(storage, bundleTracks, entry)
  return typeof found === 'string' ? found : undefined
}

/** The newest intact bundle of a track. */
export interface LatestBundle {
  /** The newest intact bundle of the track. */
  readonly bundle: ContextBundle
  /** The entry that put the bundle on its track. */
  readonly entry: HistoryEntry
  /** What was wrong with later entries, or with LATEST. */
  readonly repaired?: string
}

/**
 * Returns the newest intact bundle of a track, or undefined if the track is empty, and renews LATEST if it differs.
 * Throws {@link StorageError} if the track has saves but none of them is intact. `back` are the places of the track,
 * newest first.
 */
export async function findLatest(
  storage: Storage,
  track: string,
  back?: AsyncIterable<Place>,
): Promise<LatestBundle | undefined> {
  const newest = await findNewest(storage, bundleTracks, track, back)
  if (newest === undefined) return undefined
  const failure = await renewLatest(storage, track, newest)
  const repaired = [newest.repaired, failure].filter((text) => text !== undefined).join('; ')
  return { bundle: newest.value, entry: newest.entry, ...(repaired !== '' && { repaired }) }
}

/** Makes LATEST a copy of a track's newest intact bundle. Returns what went wrong, if anything. */
export async function renewLatest(
  storage: Storage,
  track: string,
  known?: Newest<ContextBundle, HistoryEntry>,
): Promise<string | undefined> {
  let newest = known
  return await renewCopies(storage, `LATEST of track ${track}`, async () => {
    newest ??= await findNewest(storage, bundleTracks, track)
    const copies = newest === undefined ? new Map() : await latestCopies(storage, newest)
    newest = undefined
    return copies
  })
}

export async function latestCopies(
  storage: Storage,
  { value, json }: Newest<ContextBundle, HistoryEntry>,
): Promise<Map<string, Uint8Array>> {
  const markdown = await storage.get(bundleMarkdownKey(value.id))
  return new Map([
    [latestKey(value.track), json],
    [latestMarkdownKey(value.track), markdown?.bytes ?? new TextEncoder().encode(bundleToMarkdown(value))],
  ])
}
