import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage, StoredObject } from '../../storage/storage.ts'
import { decodeOrFault, parseStoredJson } from '../../storage/stored-json.ts'
import { archiveFileKey, archiveKey, isIndexKey } from '../archive/archive-keys.ts'
import { decodeSums } from '../archive/read-archive.ts'
import { bundleKey, bundleMarkdownKey } from '../bundle-keys.ts'
import { leasePrefix, ledgerPrefix, parseWorkKey } from '../ledger-keys.ts'
import { isTombstone, readPruned } from '../prune/pruned-history.ts'
import { getKept, prunedPrefix } from '../pruned-keys.ts'
import { takeInventory } from '../store-inventory.ts'
import { bundleTracks } from '../stored-bundle.ts'
import type { Place } from '../track-places.ts'
import { readEntries } from '../track-store.ts'

/**
 * Lists the objects of a store that a copy takes: everything except LATEST, logs that wait in a queue and leases, or
 * what belongs to some tracks.
 */
export async function objectsToCopy(
  from: Storage,
  tracks: readonly string[] | undefined,
  archives: boolean,
): Promise<StoredObject[]> {
  const belongs = tracks === undefined ? () => true : await keysOfTracks(from, tracks)
  const objects: StoredObject[] = []
  for await (const object of from.list('')) {
    const key = withoutPruned(object.key)
    if (/\/LATEST\.(?:json|md)$/.test(key) || key.startsWith('queue/')) continue
    if (key.startsWith(leasePrefix)) continue
    if ((!archives && key.startsWith('archive/')) || isIndexKey(key)) continue
    if (belongs(key)) objects.push(object)
  }
  return objects
}

/** Returns the key that an object had before it was pruned. */
export function withoutPruned(key: string): string {
  return key.startsWith(prunedPrefix) ? key.slice(prunedPrefix.length) : key
}

/**
 * Returns a test for the keys of some tracks: their history, the bundles that it names, the archives of those and their
 * entries in the ledger.
 */
async function keysOfTracks(from: Storage, tracks: readonly string[]): Promise<(key: string) => boolean> {
  const names = new Set(tracks)
  const { live, pruned } = await takeInventory(from)
  const ofTracks = ({ track }: { readonly track: string }): boolean => names.has(track)
  // The bundle of a damaged entry is unknown; the entry itself is copied.
  const entries = await readEntries(from, bundleTracks, live.entries.filter(ofTracks), () => {})
  const prunedEntries = await readPruned(from, pruned.entries.filter(ofTracks))
  const moved = prunedEntries.flatMap((entry) =>
    entry instanceof Error || isTombstone(entry) ? [] : [entry],
  )
  const keys = new Set<string>()
  for (const { id, sourceSha256 } of [...entries, ...moved]) {
    for (const key of [bundleKey(id), bundleMarkdownKey(id)]) keys.add(key)
    await addArchive(from, sourceSha256, keys)
  }
  for (const key of await ledgerOfTracks(from, names, [...live.entries, ...pruned.entries])) keys.add(key)
  const trackOf = (key: string): string | undefined => /^(?:tracks|checkpoints)\/([^/]+)\//.exec(key)?.[1]
  return (key) => keys.has(key) || names.has(trackOf(key) ?? '')
}

const parallelReads = 8

/** Keys of what the ledger says about the bundles of some tracks, and about their sessions that left no bundle. */
async function ledgerOfTracks(
  from: Storage,
  tracks: ReadonlySet<string>,
  places: readonly Place[],
): Promise<string[]> {
  const trackOfBundle = new Map(places.map(({ id, track }) => [id, track]))
  const keys: string[] = []
  const unstored: string[] = []
  for await (const { key } of from.list(ledgerPrefix)) {
    const work = parseWorkKey(key)
    if (work === undefined || work.started) continue
    const track = trackOfBundle.get(work.bundleId)
    if (track === undefined) unstored.push(key)
    else if (tracks.has(track)) keys.push(key)
  }
  await inParallel(unstored, parallelReads, async (key) => {
    const stored = await from.get(key)
    const entry = stored && decodeOrFault(() => parseStoredJson(key, stored.bytes))
    if (hasTrack(entry) && tracks.has(entry.track)) keys.push(key)
  })
  return keys
}

function hasTrack(entry: unknown): entry is { readonly track: string } {
  return typeof entry === 'object' && entry !== null && 'track' in entry && typeof entry.track === 'string'
}

async function addArchive(from: Storage, sha256: string, keys: Set<string>): Promise<void> {
  const key = archiveKey(sha256)
  if (keys.has(key)) return
  const stored = await getKept(from, key)
  if (stored === undefined) return
  keys.add(key)
  const files = decodeOrFault(() => decodeSums(key, stored.bytes, sha256))
  if (files instanceof Error) return
  for (const file of files) keys.add(archiveFileKey(file.sha256))
}
