import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { bundleKey } from '../bundle-keys.ts'
import type { HistoryEntry } from '../history-entry.ts'
import { type StoreInventory, takeInventory } from '../store-inventory.ts'
import { bundleTracks, decodeBundle } from '../stored-bundle.ts'
import type { Place } from '../track-places.ts'
import { readEntries } from '../track-store.ts'
import type { RetainedBundle } from './move-bundle.ts'
import { isTombstone, readPruned } from './pruned-history.ts'

const parallelReads = 8

/** Something that prune left unchanged, and why. */
export interface SkippedKey {
  /** The object that was left. */
  readonly key: string
  /** Why it was left. */
  readonly reason: string
}

export interface PruneState {
  readonly inventory: StoreInventory
  /** Bundles with a readable entry, by id. */
  readonly bundles: ReadonlyMap<string, RetainedBundle>
  /** Digests of the logs of bundles that were deleted. */
  readonly deletedSources: ReadonlySet<string>
  /** Bundles without a readable entry: their save is on its way, or their entry is damaged. */
  readonly loose: readonly { readonly sourceSha256: string }[]
  /** Damaged entries, and bundles whose references are unknown. */
  readonly skipped: readonly SkippedKey[]
  readonly unreadable: number
}

/** Reads all history and the pruned part. With `before`, unchanging objects are not read again. */
export async function readPruneState(storage: Storage, before?: PruneState): Promise<PruneState> {
  const inventory = await takeInventory(storage)
  const skipped: SkippedKey[] = []
  const bundles = new Map<string, RetainedBundle>()
  for (const entry of await readLive(storage, inventory.live.entries, skipped, before))
    bundles.set(entry.id, { entry, live: true })
  const deletedSources = new Set<string>()
  for (const pruned of await readPruned(storage, inventory.pruned.entries)) {
    if (pruned instanceof Error) skipped.push({ key: keyOf(pruned), reason: pruned.message })
    else if (isTombstone(pruned)) deletedSources.add(pruned.sourceSha256)
    else bundles.set(pruned.id, { entry: pruned, live: bundles.has(pruned.id) })
  }
  const looseIds = [...inventory.live.bundles].filter((id) => bundles.get(id)?.live !== true)
  const loose = await inParallel(looseIds, parallelReads, (id) => readLoose(storage, id))
  const known = loose.filter((one) => typeof one === 'object')
  for (const [index, one] of loose.entries())
    if (typeof one === 'string') skipped.push({ key: bundleKey(looseIds[index] ?? ''), reason: one })
  const unreadable = loose.filter((one) => typeof one === 'string').length
  return { inventory, bundles, deletedSources, loose: known, skipped, unreadable }
}

/** Entries never change, so those of `before` are not read again. */
async function readLive(
  storage: Storage,
  places: readonly Place[],
  skipped: SkippedKey[],
  before: PruneState | undefined,
): Promise<HistoryEntry[]> {
  const known = new Map<string, HistoryEntry>()
  for (const { live, entry } of before?.bundles.values() ?? []) if (live) known.set(entry.id, entry)
  const unknown = places.filter(({ id }) => !known.has(id))
  const read = await readEntries(storage, bundleTracks, unknown, (error) =>
    skipped.push({ key: keyOf(error), reason: error.message }),
  )
  for (const entry of read) known.set(entry.id, entry)
  return places.flatMap(({ id }) => known.get(id) ?? [])
}

function keyOf(error: object): string {
  return 'key' in error ? String(error.key) : ''
}

/** The references of a bundle, a text that says why they are unknown, or undefined if it is gone. */
async function readLoose(
  storage: Storage,
  id: string,
): Promise<PruneState['loose'][number] | string | undefined> {
  const stored = await storage.get(bundleKey(id))
  const bundle = stored && decodeOrFault(() => decodeBundle(id, stored.bytes))
  if (bundle === undefined) return undefined
  if (bundle instanceof Error) return bundle.message
  return { sourceSha256: bundle.source.sha256 }
}
