import { inParallel } from '../../storage/in-parallel.ts'
import { archivedFileFault, listedFiles } from '../archive/read-archive.ts'
import { archiveFileKey, archiveKey, bundleKey } from '../keys.ts'
import { bringBack } from '../prune/pruned.ts'
import { readMentions, type StoreInventory, type StorePart } from '../store-inventory.ts'
import type { StoreCheck } from './store-finding.ts'
import type { CheckedBundle, CheckedBundles, CheckedHistory } from './verify-bundles.ts'

/** An archived file is held in memory while it is checked. */
const parallelFiles = 2

/**
 * Checks that the files of each archived log exist, that bundles have the archives that they refer to, and that every
 * object has an owner. Returns the number of archives of which nothing exists here, as in a clone.
 */
export async function verifyArchives(
  check: StoreCheck,
  inventory: StoreInventory,
  { bundles, history }: { readonly bundles: CheckedBundles; readonly history: CheckedHistory },
): Promise<number> {
  const { live, pruned } = inventory
  const all = [...bundles.live, ...bundles.pruned]
  const owned = new Set(all.map(([, bundle]) => bundle?.entry.sourceSha256))
  const named = new Set<string>()
  for (const part of [live, pruned])
    for (const sha256 of part.sums)
      for (const file of await verifyList(check, inventory, part, sha256, owned.has(sha256))) named.add(file)
  const elsewhere = new Set<string>()
  for (const [id, bundle] of all)
    if (bundle !== undefined && (await isElsewhere(check, inventory, id, bundle)))
      elsewhere.add(bundle.entry.sourceSha256)
  const orphans = [...live.sums].filter((sha256) => !owned.has(sha256) && !history.sources.has(sha256))
  const mentions = await (orphans.length === 0 ? new Set() : readMentions(check.storage, inventory.others))
  for (const key of orphans.filter((sha256) => !mentions.has(sha256)).map(archiveKey))
    await check.warn('archive-without-bundle', key, `${key} is the archive of a log without a bundle`)
  for (const key of [...live.files].filter((sha256) => !named.has(sha256)).map(archiveFileKey)) {
    const message = `${key} belongs to no archived log; nothing reads it`
    await check.warn('archive-file-without-list', key, message)
  }
  return elsewhere.size
}

export async function verifyArchivedFiles(
  { storage, fault }: StoreCheck,
  { live, pruned }: StoreInventory,
  onDone: () => void,
): Promise<void> {
  for (const part of [live, pruned])
    await inParallel([...part.files], parallelFiles, async (sha256) => {
      const key = `${part.prefix}${archiveFileKey(sha256)}`
      const stored = await storage.get(key)
      const wrong = stored && (await archivedFileFault(key, stored.bytes, sha256))
      onDone()
      if (wrong !== undefined) fault('archive-damaged', key, wrong)
    })
}

/** Checks the list of an archived log. Returns the digests of the files that it names. */
async function verifyList(
  check: StoreCheck,
  { live, pruned }: StoreInventory,
  part: StorePart,
  sha256: string,
  isOwned: boolean,
): Promise<string[]> {
  const key = `${part.prefix}${archiveKey(sha256)}`
  const files = (await listedFiles(check.storage, sha256, part.prefix)) ?? []
  if (files instanceof Error) {
    check.fault('archive-damaged', key, files.message)
    return []
  }
  const isPruned = part !== live
  for (const file of files) {
    const own = archiveFileKey(file.sha256)
    if (live.files.has(file.sha256) || (await check.storage.get(own)) !== undefined) continue
    const moved = pruned.files.has(file.sha256)
    if (moved && isPruned) continue
    if (!isOwned && isPruned) {
      const message = `${own} is missing: a prune with deletion was interrupted; running it again completes it`
      await check.warn('half-pruned', key, message)
    } else if (moved) await warnOfMoved(check, own)
    else check.fault('archive-missing', own, `${own} is missing, and ${key} names it`)
  }
  return files.map((file) => file.sha256)
}

/** Checks a bundle with an archived log; returns true if nothing of that log is here. */
async function isElsewhere(
  check: StoreCheck,
  { live, pruned }: StoreInventory,
  id: string,
  { archived, entry: { sourceSha256: sha256 } }: CheckedBundle,
): Promise<boolean> {
  const { storage } = check
  if (!archived || live.sums.has(sha256)) return false
  const key = archiveKey(sha256)
  const moved = pruned.sums.has(sha256)
  // The archive of a pruned bundle may have been pruned too.
  if (moved && (await storage.get(bundleKey(id))) === undefined) return false
  if ((await storage.get(key)) !== undefined) return false
  if (moved) await warnOfMoved(check, key)
  // The list of a log of one file has the digest of that file.
  else if (!live.files.has(sha256)) return true
  else check.fault('archive-missing', key, `${key} is missing, the archived log of bundle ${id}`)
  return false
}

async function warnOfMoved(check: StoreCheck, key: string): Promise<void> {
  const message = `${key} is only below pruned/, though it is in use`
  await check.warn('archive-moved', key, message, () => bringBack(check.storage, key))
}
