import { TenfoldError } from '../../errors.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { bundleKey } from '../bundle-keys.ts'
import type { HistoryEntry } from '../history-entry.ts'
import { bringBundleBack } from '../prune/move-bundle.ts'
import { decodePruned, isTombstone } from '../prune/pruned-history.ts'
import { prunedKey } from '../pruned-keys.ts'
import type { StoreInventory } from '../store-inventory.ts'
import { bundleTracks } from '../stored-bundle.ts'
import type { Place } from '../track-places.ts'
import { checkCommitted, readEntry } from '../track-store.ts'
import type { FindingSink } from './store-finding.ts'
import type { CheckedBundle } from './verify-bundles.ts'

const parallelReads = 32

/** Bundles that were checked, by id: of the live part and of the pruned one. */
export interface CheckedBundles {
  readonly live: Map<string, CheckedBundle | undefined>
  readonly pruned: Map<string, CheckedBundle | undefined>
}

/** Names in the history: ids with an entry, and digests of logs from entries or their tombstones. */
export interface CheckedHistory {
  readonly ids: Set<string>
  readonly sources: Set<string>
}

export async function verifyHistory(
  storage: Storage,
  inventory: StoreInventory,
  bundles: CheckedBundles,
  sink: FindingSink,
): Promise<CheckedHistory> {
  const history: CheckedHistory = { ids: new Set(), sources: new Set() }
  await inParallel(inventory.live.entries, parallelReads, async (place) => {
    const entry = await readEntry(storage, bundleTracks, place)
    if (entry === undefined) return
    if (entry instanceof Error) return await sink.add('fault', 'entry-damaged', place.key, entry.message)
    history.ids.add(entry.id)
    history.sources.add(entry.sourceSha256)
    await verifyEntry(storage, place, entry, bundles, sink)
  })
  await inParallel(inventory.pruned.entries, parallelReads, async (place) => {
    const key = prunedKey(place.key)
    const stored = await storage.get(key)
    const entry = stored && decodeOrFault(() => decodePruned(key, stored.bytes))
    if (entry === undefined) return
    if (TenfoldError.isInstance(entry)) return await sink.add('fault', 'entry-damaged', key, entry.message)
    history.ids.add(entry.id)
    history.sources.add(entry.sourceSha256)
    if (!isTombstone(entry)) await verifyPrunedEntry(storage, key, entry, bundles, sink)
  })
  return history
}

async function verifyEntry(
  storage: Storage,
  place: Place,
  entry: HistoryEntry,
  bundles: CheckedBundles,
  sink: FindingSink,
): Promise<void> {
  const { id } = entry
  const { key } = place
  const differs = (fault: string) => sink.add('fault', 'entry-differs', key, `${key}: ${fault}`)
  const bundle = bundles.live.get(id)
  if (bundle !== undefined) {
    const fault = entryFault(entry, bundle)
    return fault === undefined ? undefined : await differs(fault)
  }
  // A damaged bundle was reported already.
  if (bundles.live.has(id)) return
  const stored = await storage.get(bundleKey(id))
  if (stored !== undefined) {
    const fault = await checkCommitted(bundleTracks, entry, stored.bytes)
    return typeof fault === 'string' ? await differs(fault) : undefined
  }
  // Pruned since it was listed.
  if ((await storage.get(key)) === undefined) return
  if ((await storage.get(prunedKey(bundleKey(id)))) !== undefined) {
    const message = `${key}: its bundle is below pruned/: a prune was interrupted; running it again completes it`
    return await sink.add('warning', 'half-pruned', key, message, () => bringBundleBack(storage, id))
  }
  await sink.add('fault', 'bundle-missing', bundleKey(id), `${bundleKey(id)} is missing, and ${key} names it`)
}

async function verifyPrunedEntry(
  storage: Storage,
  key: string,
  entry: HistoryEntry,
  bundles: CheckedBundles,
  sink: FindingSink,
): Promise<void> {
  const bundle = bundles.pruned.get(entry.id)
  const fault = bundle && entryFault(entry, bundle)
  if (fault !== undefined) return await sink.add('fault', 'entry-differs', key, `${key}: ${fault}`)
  if (bundles.pruned.has(entry.id)) return
  const missing = prunedKey(bundleKey(entry.id))
  if ((await storage.get(missing)) !== undefined) return
  const now = await storage.get(key)
  const left = now && decodeOrFault(() => decodePruned(key, now.bytes))
  if (left === undefined || (!TenfoldError.isInstance(left) && isTombstone(left))) return
  const message = `${missing} is missing: a prune with deletion was interrupted; running it again completes it`
  await sink.add('warning', 'half-pruned', key, message)
}

const compared = [
  ...([
    'id',
    'kind',
    'track',
    'createdAt',
    'format',
    'sessionId',
    'title',
    'cwd',
    'task',
    'previous',
  ] as const),
  ...(['sourceTokens', 'bundleTokens', 'ratio', 'band', 'sourceSha256', 'state', 'nextStep'] as const),
]

function entryFault(entry: HistoryEntry, { entry: made }: CheckedBundle): string | undefined {
  if (entry.size !== made.size || entry.sha256 !== made.sha256)
    return `${entry.key} holds other bytes than were saved`
  const field = compared.find((name) => entry[name] !== undefined && entry[name] !== made[name])
  return field && `its ${field} differs from that of its bundle`
}
