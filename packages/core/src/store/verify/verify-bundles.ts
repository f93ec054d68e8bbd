import { bundleFromMarkdown, bundleToMarkdown } from '../../bundle/markdown.ts'
import type { ContextBundle } from '../../bundle/schema.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { putIfAbsent } from '../../storage/put-if-absent.ts'
import { decodeOrFault, decodeText } from '../../storage/stored-json.ts'
import { type HistoryEntry, historyEntryOf } from '../history.ts'
import { bundleKey, bundleMarkdownKey, prunedKey } from '../keys.ts'
import { bringBundleBack, decodePruned, isTombstone } from '../prune/pruned.ts'
import type { StoreInventory, StorePart } from '../store-inventory.ts'
import { bundleTracks, decodeBundle, faultOfEntry } from '../stored-bundle.ts'
import type { Place } from '../track-places.ts'
import { getDecoded, readEntry } from '../track-store.ts'
import type { StoreCheck } from './store-finding.ts'

const parallelBundles = 8
const parallelEntries = 32

export interface CheckedBundle {
  readonly entry: HistoryEntry
  readonly archived: boolean
}

/** The bundles of a part, by id; undefined for a damaged one. */
export type CheckedPart = ReadonlyMap<string, CheckedBundle | undefined>

export interface CheckedBundles {
  readonly live: CheckedPart
  readonly pruned: CheckedPart
}

/** Ids with an entry, and digests of logs from entries or tombstones. */
export interface CheckedHistory {
  readonly ids: Set<string>
  readonly sources: Set<string>
}

/** Checks each bundle of a part and its Markdown. */
export async function verifyBundles(
  check: StoreCheck,
  part: StorePart,
  onDone: () => void,
): Promise<CheckedPart> {
  const { storage } = check
  const checked = new Map<string, CheckedBundle | undefined>()
  await inParallel([...part.bundles], parallelBundles, async (id) => {
    const key = `${part.prefix}${bundleKey(id)}`
    const stored = await storage.get(key)
    onDone()
    // Pruned or deleted since it was listed.
    if (stored === undefined) return
    const bundle = decodeOrFault(() => decodeBundle(id, stored.bytes))
    if (bundle instanceof Error) {
      checked.set(id, undefined)
      const place = part.prefix === '' ? '' : `${part.prefix}: `
      return check.fault('bundle-damaged', key, `${place}${bundle.message}`)
    }
    checked.set(id, { entry: historyEntryOf(bundle, stored.bytes), archived: bundle.source.archived })
    await verifyMarkdown(check, `${part.prefix}${bundleMarkdownKey(id)}`, bundle)
  })
  for (const id of part.markdown) {
    if (part.bundles.has(id)) continue
    const key = `${part.prefix}${bundleMarkdownKey(id)}`
    // JSON is listed and saved before Markdown; a prune in between deletes it first.
    const isGone = (await storage.get(key)) === undefined
    if (!isGone && (await storage.get(`${part.prefix}${bundleKey(id)}`)) === undefined)
      await check.warn('markdown-without-bundle', key, `${key} has no bundle next to it`)
  }
  return checked
}

async function verifyMarkdown(check: StoreCheck, key: string, bundle: ContextBundle): Promise<void> {
  const { storage } = check
  const stored = await storage.get(key)
  if (stored === undefined)
    return await check.warn('markdown-missing', key, `${key} is missing`, () =>
      putIfAbsent(storage, key, new TextEncoder().encode(bundleToMarkdown(bundle))),
    )
  const fault = markdownFault(key, stored.bytes, bundle)
  if (fault !== undefined)
    check.fault('markdown-differs', key, `${key} ${fault}; delete it, a repair writes it again`)
}

/** Returns how Markdown differs from its bundle. Other wording of another version is not a fault. */
function markdownFault(key: string, bytes: Uint8Array, bundle: ContextBundle): string | undefined {
  const text = decodeOrFault(() => decodeText(key, bytes))
  if (text instanceof Error) return 'is not UTF-8'
  const expected = bundleToMarkdown(bundle)
  if (text === expected) return undefined
  const read = decodeOrFault(() => bundleFromMarkdown(text))
  if (read instanceof Error) return `does not read as a bundle (${read.message})`
  return bundleToMarkdown(read) === expected ? undefined : 'does not match the JSON next to it'
}

export async function verifyHistory(
  check: StoreCheck,
  { live, pruned }: StoreInventory,
  bundles: CheckedBundles,
): Promise<CheckedHistory> {
  const history: CheckedHistory = { ids: new Set(), sources: new Set() }
  await inParallel(live.entries, parallelEntries, async (place) => {
    const entry = await readEntry(check.storage, bundleTracks, place)
    if (entry === undefined) return
    if (entry instanceof Error) return check.fault('entry-damaged', place.key, entry.message)
    history.ids.add(entry.id)
    history.sources.add(entry.sourceSha256)
    await verifyEntry(check, place, entry, bundles.live)
  })
  await inParallel(pruned.entries, parallelEntries, async (place) => {
    const key = prunedKey(place.key)
    const entry = await getDecoded(check.storage, key, decodePruned)
    if (entry === undefined) return
    if (entry instanceof Error) return check.fault('entry-damaged', key, entry.message)
    history.ids.add(entry.id)
    history.sources.add(entry.sourceSha256)
    if (!isTombstone(entry)) await verifyPrunedEntry(check, key, entry, bundles.pruned)
  })
  return history
}

async function verifyEntry(
  check: StoreCheck,
  { key }: Place,
  entry: HistoryEntry,
  bundles: CheckedPart,
): Promise<void> {
  const { storage } = check
  const { id } = entry
  const own = bundleKey(id)
  const bundle = bundles.get(id)
  // A damaged bundle was already reported.
  if (bundle === undefined && bundles.has(id)) return
  if (bundle !== undefined || (await storage.get(own)) !== undefined) {
    const fault = bundle === undefined ? await faultOfEntry(storage, entry) : entryFault(entry, bundle)
    if (fault !== undefined) check.fault('entry-differs', key, `${key}: ${fault}`)
    return
  }
  // Pruned since it was listed.
  if ((await storage.get(key)) === undefined) return
  if ((await storage.get(prunedKey(own))) === undefined)
    return check.fault('bundle-missing', own, `${own} is missing, and ${key} names it`)
  const message = `${key}: its bundle is below pruned/: a prune was interrupted; running it again completes it`
  await check.warn('half-pruned', key, message, () => bringBundleBack(storage, id))
}

async function verifyPrunedEntry(
  check: StoreCheck,
  key: string,
  entry: HistoryEntry,
  bundles: CheckedPart,
): Promise<void> {
  const { storage } = check
  const bundle = bundles.get(entry.id)
  const fault = bundle && entryFault(entry, bundle)
  if (fault !== undefined) return check.fault('entry-differs', key, `${key}: ${fault}`)
  const missing = prunedKey(bundleKey(entry.id))
  if (bundles.has(entry.id) || (await storage.get(missing)) !== undefined) return
  const left = await getDecoded(storage, key, decodePruned)
  if (left === undefined || (!(left instanceof Error) && isTombstone(left))) return
  const message = `${missing} is missing: a prune with deletion was interrupted; running it again completes it`
  await check.warn('half-pruned', key, message)
}

function entryFault(entry: HistoryEntry, { entry: made }: CheckedBundle): string | undefined {
  if (entry.size !== made.size || entry.sha256 !== made.sha256)
    return `${entry.key} holds other bytes than were saved`
  const names = Object.keys(entry) as (keyof HistoryEntry)[]
  const field = names.find((name) => entry[name] !== undefined && entry[name] !== made[name])
  return field && `its ${field} differs from that of its bundle`
}
