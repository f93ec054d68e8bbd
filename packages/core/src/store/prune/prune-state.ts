import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HistoryEntry } from '../history.ts'
import { bundleKey } from '../keys.ts'
import { type StoreInventory, takeInventory } from '../store-inventory.ts'
import { bundleTracks, decodeBundle } from '../stored-bundle.ts'
import { getDecoded, readEntries } from '../track-store.ts'
import type { RetainedBundle } from './policy.ts'
import { isTombstone, readPruned } from './pruned.ts'

const parallelReads = 8

/** An object that prune left unchanged, and why. */
export interface SkippedKey {
  /** Key of the object that was not deleted. */
  readonly key: string
  /** Why the object was not deleted. */
  readonly reason: string
}

export interface PruneState {
  readonly inventory: StoreInventory
  /** Bundles with a readable entry, by id. */
  readonly bundles: ReadonlyMap<string, RetainedBundle>
  /** Digests of the logs of deleted bundles. */
  readonly deletedSources: ReadonlySet<string>
  /** Digests of the logs of bundles without a readable entry, which is damaged or not saved yet. */
  readonly looseSources: readonly string[]
  /** Damaged entries, and bundles whose references are unknown. */
  readonly skipped: readonly SkippedKey[]
  /** True if the references of a bundle are unknown. */
  readonly unreadable: boolean
}

/** Reads all history and the pruned part. With `before`, live entries, which never change, are not read again. */
export async function readPruneState(storage: Storage, before?: PruneState): Promise<PruneState> {
  const inventory = await takeInventory(storage)
  const { live, pruned } = inventory
  const skipped: SkippedKey[] = []
  const skip = (error: Error, key = 'key' in error ? String(error.key) : ''): void =>
    void skipped.push({ key, reason: error.message })
  const known = new Map<string, HistoryEntry>()
  for (const [id, bundle] of before?.bundles ?? []) if (bundle.live) known.set(id, bundle.entry)
  const unknown = live.entries.filter(({ id }) => !known.has(id))
  for (const entry of await readEntries(storage, bundleTracks, unknown, skip)) known.set(entry.id, entry)
  const bundles = new Map<string, RetainedBundle>()
  for (const entry of live.entries.flatMap(({ id }) => known.get(id) ?? []))
    bundles.set(entry.id, { entry, live: true })
  const deletedSources = new Set<string>()
  for (const entry of await readPruned(storage, pruned.entries)) {
    if (entry instanceof Error) skip(entry)
    else if (isTombstone(entry)) deletedSources.add(entry.sourceSha256)
    else bundles.set(entry.id, { entry, live: bundles.has(entry.id) })
  }
  const looseIds = [...live.bundles].filter((id) => bundles.get(id)?.live !== true)
  const loose = await inParallel(looseIds, parallelReads, (id) =>
    getDecoded(storage, bundleKey(id), (_, bytes) => decodeBundle(id, bytes)),
  )
  for (const [at, bundle] of loose.entries())
    if (bundle instanceof Error) skip(bundle, bundleKey(looseIds[at] ?? ''))
  const unreadable = loose.some((bundle) => bundle instanceof Error)
  const looseSources = loose.flatMap((bundle) =>
    bundle === undefined || bundle instanceof Error ? [] : [bundle.source.sha256],
  )
  return { inventory, bundles, deletedSources, looseSources, skipped, unreadable }
}
