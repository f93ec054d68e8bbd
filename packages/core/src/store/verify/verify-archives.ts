import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { archiveFileKey, archiveKey } from '../archive/archive-keys.ts'
import { archivedFileFault, decodeSums } from '../archive/read-archive.ts'
import { bundleKey } from '../bundle-keys.ts'
import { readMentions } from '../mentions.ts'
import { bringBack } from '../prune/move-object.ts'
import type { StoreInventory, StorePart } from '../store-inventory.ts'
import type { FindingSink } from './store-finding.ts'
import type { CheckedBundle } from './verify-bundles.ts'
import type { CheckedBundles, CheckedHistory } from './verify-history.ts'

/** An archived file is held in memory while it is checked. */
const parallelFiles = 2

/**
 * Checks that the files of each archived log exist, that bundles have the archives that they mention, and that
 * everything has an owner. Returns how many archives that bundles mention are not here at all: a clone of a repository
 * leaves them out.
 */
export async function verifyArchives(
  storage: Storage,
  inventory: StoreInventory,
  { bundles, history }: { readonly bundles: CheckedBundles; readonly history: CheckedHistory },
  sink: FindingSink,
): Promise<number> {
  const { live, pruned } = inventory
  const named = new Set<string>()
  const owned = new Set<string>()
  for (const bundle of [...bundles.live.values(), ...bundles.pruned.values()])
    if (bundle !== undefined) owned.add(bundle.entry.sourceSha256)
  for (const part of [live, pruned])
    for (const sha256 of part.sums)
      await verifyList(storage, { part, inventory, sha256, named, isOwned: owned.has(sha256) }, sink)
  const elsewhere = new Set<string>()
  for (const [id, bundle] of [...bundles.live, ...bundles.pruned])
    if (await isElsewhere(storage, id, bundle, inventory, sink))
      elsewhere.add(bundle?.entry.sourceSha256 ?? '')
  await warnOfOrphans(storage, { inventory, owned: new Set([...owned, ...history.sources]), named }, sink)
  return elsewhere.size
}

export async function verifyArchivedFiles(
  storage: Storage,
  { live, pruned }: StoreInventory,
  sink: FindingSink,
  onDone: () => void,
): Promise<void> {
  for (const part of [live, pruned])
    await inParallel([...part.files], parallelFiles, async (sha256) => {
      const key = `${part.prefix}${archiveFileKey(sha256)}`
      const stored = await storage.get(key)
      const fault = stored && (await archivedFileFault(key, stored.bytes, sha256))
      onDone()
      if (fault !== undefined) await sink.add('fault', 'archive-damaged', key, fault)
    })
}

interface ListToCheck {
  readonly part: StorePart
  readonly inventory: StoreInventory
  readonly sha256: string
  /** A bundle came from that log. */
  readonly isOwned: boolean
  /** Collects the files that lists name. */
  readonly named: Set<string>
}

async function verifyList(
  storage: Storage,
  { part, inventory, sha256, isOwned, named }: ListToCheck,
  sink: FindingSink,
): Promise<void> {
  const key = `${part.prefix}${archiveKey(sha256)}`
  const stored = await storage.get(key)
  if (stored === undefined) return
  const files = decodeOrFault(() => decodeSums(key, stored.bytes, sha256))
  if (files instanceof Error) return await sink.add('fault', 'archive-damaged', key, files.message)
  for (const file of files) {
    named.add(file.sha256)
    const own = archiveFileKey(file.sha256)
    if (inventory.live.files.has(file.sha256) || (await storage.get(own)) !== undefined) continue
    const moved = inventory.pruned.files.has(file.sha256)
    if (moved && part.prefix !== '') continue
    if (!isOwned && part.prefix !== '') {
      const message = `${own} is missing: a prune with deletion was interrupted; running it again completes it`
      await sink.add('warning', 'half-pruned', key, message)
    } else if (moved) await warnOfMoved(storage, own, sink)
    else await sink.add('fault', 'archive-missing', own, `${own} is missing, and ${key} names it`)
  }
}

/** Checks a bundle that says that its log is archived; returns true if nothing of that log is here. */
async function isElsewhere(
  storage: Storage,
  id: string,
  bundle: CheckedBundle | undefined,
  { live, pruned }: StoreInventory,
  sink: FindingSink,
): Promise<boolean> {
  const sha256 = bundle?.entry.sourceSha256
  if (sha256 === undefined || bundle?.archived !== true || live.sums.has(sha256)) return false
  const key = archiveKey(sha256)
  const moved = pruned.sums.has(sha256)
  // The archive of a pruned bundle may have been pruned too.
  if (moved && (await storage.get(bundleKey(id))) === undefined) return false
  if ((await storage.get(key)) !== undefined) return false
  if (moved) await warnOfMoved(storage, key, sink)
  // The list of a log of one file has the digest of that file.
  else if (!live.files.has(sha256)) return true
  else await sink.add('fault', 'archive-missing', key, `${key} is missing, the archived log of bundle ${id}`)
  return false
}

async function warnOfMoved(storage: Storage, key: string, sink: FindingSink): Promise<void> {
  const message = `${key} is only below pruned/, though it is in use`
  await sink.add('warning', 'archive-moved', key, message, () => bringBack(storage, key))
}

interface Owners {
  readonly inventory: StoreInventory
  /** Logs that bundles came from, including deleted bundles. */
  readonly owned: ReadonlySet<string>
  readonly named: ReadonlySet<string>
}

async function warnOfOrphans(
  storage: Storage,
  { inventory, owned, named }: Owners,
  sink: FindingSink,
): Promise<void> {
  const { live } = inventory
  const orphans = [...live.sums].filter((sha256) => !owned.has(sha256))
  const mentions = orphans.length === 0 ? new Set<string>() : await readMentions(storage, inventory.others)
  for (const sha256 of orphans.filter((orphan) => !mentions.has(orphan))) {
    const message = `${archiveKey(sha256)} is the archive of a log without a bundle`
    await sink.add('warning', 'archive-without-bundle', archiveKey(sha256), message)
  }
  for (const sha256 of live.files) {
    if (named.has(sha256)) continue
    const key = archiveFileKey(sha256)
    await sink.add(
      'warning',
      'archive-file-without-list',
      key,
      `${key} belongs to no archived log; nothing reads it`,
    )
  }
}
