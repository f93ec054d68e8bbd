import type { Storage, StoredObject } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { archiveFileKey, archiveKey } from '../archive/archive-keys.ts'
import { decodeSums } from '../archive/read-archive.ts'
import { bundleKey, bundleMarkdownKey } from '../bundle-keys.ts'
import { isTombstone, readPruned } from '../prune/pruned-history.ts'
import { getKept, prunedPrefix } from '../pruned-keys.ts'
import { takeInventory } from '../store-inventory.ts'
import { bundleTracks } from '../stored-bundle.ts'
import { readEntries } from '../track-store.ts'

/**
 * Lists the objects of a store that a copy takes: everything except LATEST and logs that wait in a queue, or what
 * belongs to some tracks.
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
    if (!archives && key.startsWith('archive/')) continue
    if (belongs(key)) objects.push(object)
  }
  return objects
}

/** Returns the key that an object had before it was pruned. */
export function withoutPruned(key: string): string {
  return key.startsWith(prunedPrefix) ? key.slice(prunedPrefix.length) : key
}

/** Returns a test for the keys of some tracks: their history, the bundles that it names, and the archives of those. */
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
  const trackOf = (key: string): string | undefined => /^(?:tracks|checkpoints)\/([^/]+)\//.exec(key)?.[1]
  return (key) => keys.has(key) || names.has(trackOf(key) ?? '')
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
