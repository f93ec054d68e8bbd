import { bundleToMarkdown } from '../bundle/markdown.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { Storage } from '../storage/storage.ts'
import { bundleMarkdownKey, latestKey, latestMarkdownKey } from './bundle-keys.ts'
import type { HistoryEntry } from './history-entry.ts'
import { renewCopies } from './latest-copies.ts'
import { bundleTracks } from './stored-bundle.ts'
import type { Place } from './track-places.ts'
import { findNewest, type Newest } from './track-store.ts'

/** The newest intact bundle of a track. `repaired` says what was wrong with later ones, or with the copy of LATEST. */
export interface LatestBundle {
  /** The newest bundle that is intact. */
  readonly bundle: ContextBundle
  /** Its entry on the track. */
  readonly entry: HistoryEntry
  /** What was wrong with later entries, or with the copy of LATEST. */
  readonly repaired?: string
}

/**
 * Returns the newest intact bundle of a track, or undefined if the track has none, and renews LATEST if it is a copy of
 * another one. Throws {@link StorageError} if the track has saves but none of them is intact. `back` are the places of
 * the track, the newest first.
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

/** Makes LATEST of a track a copy of its newest intact bundle. Returns what went wrong, if anything. */
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
