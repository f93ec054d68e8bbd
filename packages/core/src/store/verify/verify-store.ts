import type { Storage } from '../../storage/storage.ts'
import { bundleKey } from '../bundle-keys.ts'
import { type StoreInventory, takeInventory } from '../store-inventory.ts'
import { type FindingSink, findingSink, type StoreFinding } from './store-finding.ts'
import { verifyArchivedFiles, verifyArchives } from './verify-archives.ts'
import { verifyBundles } from './verify-bundles.ts'
import { type CheckedBundles, type CheckedHistory, verifyHistory } from './verify-history.ts'
import { verifyLatest } from './verify-latest.ts'

/** Options of `verifyStore`. */
export interface VerifyOptions {
  /** Unpack each archived file and compare its digest; else only that it is there. @default true */
  readonly deep?: boolean
  /**
   * Write LATEST and Markdown anew where they are missing or wrong, and copy back what a prune moved away though it is
   * in use. Nothing is deleted, and no Markdown that says something else is overwritten but LATEST.md. @default false
   */
  readonly repair?: boolean
  /** Hears of each bundle and archived file that was checked. */
  readonly report?: (progress: VerifyProgress) => void
  readonly signal?: AbortSignal
}

/** How far `verifyStore` is. */
export interface VerifyProgress {
  readonly step: 'bundles' | 'archives'
  readonly done: number
  readonly of: number
}

/** What `verifyStore` found. */
export interface VerifyReport {
  /** True where there is no fault, or none that was not repaired. */
  readonly ok: boolean
  /** What was looked at; `pruned` are bundles that prune moved away. */
  readonly checked: {
    readonly tracks: number
    readonly entries: number
    readonly bundles: number
    readonly pruned: number
    readonly archives: number
    /** Archived files that were unpacked. */
    readonly archivedFiles: number
  }
  /** Faults first, each kind in the order of keys. */
  readonly findings: readonly StoreFinding[]
}

/**
 * Checks all of a store: that each bundle is valid and its Markdown says the same, that history names what was saved
 * and lacks no number, that each LATEST resolves, and that archives hold the bytes of their digests. What has no owner
 * is a warning. May run while others save. Throws StorageError where the store fails.
 */
export async function verifyStore(storage: Storage, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { deep = true, repair = false, report, signal } = options
  const findings: StoreFinding[] = []
  const sink = findingSink(findings, repair)
  const inventory = await takeInventory(storage)
  const { live, pruned } = inventory
  const counter = (step: VerifyProgress['step'], of: number) => {
    let done = 0
    return (): void => {
      signal?.throwIfAborted()
      report?.({ step, done: ++done, of })
    }
  }
  for (const key of [...live.strays, ...pruned.strays])
    await sink.add('warning', 'stray', key, `${key} is nothing that tenfold wrote`)

  const countBundle = counter('bundles', live.bundles.size + pruned.bundles.size)
  const bundles = {
    live: await verifyBundles(storage, live, sink, countBundle),
    pruned: await verifyBundles(storage, pruned, sink, countBundle),
  }
  const history = await verifyHistory(storage, inventory, bundles, sink)
  await warnOfUnlinked(storage, inventory, bundles, history, sink)
  const tracks = await verifyLatest(storage, inventory, sink)

  await verifyArchives(storage, inventory, { bundles, history }, sink)
  const files = deep ? live.files.size + pruned.files.size : 0
  if (deep) await verifyArchivedFiles(storage, inventory, sink, counter('archives', files))
  return {
    ok: !findings.some(({ level, repaired }) => level === 'fault' && !repaired),
    checked: {
      tracks: tracks.length,
      entries: live.entries.length,
      bundles: live.bundles.size,
      pruned: pruned.bundles.size,
      archives: live.sums.size,
      archivedFiles: files,
    },
    findings: findings.sort(byLevelAndKey),
  }
}

/** Bundles that no history entry names, and bundles whose `previous` is nowhere. */
async function warnOfUnlinked(
  storage: Storage,
  { live }: StoreInventory,
  bundles: CheckedBundles,
  history: CheckedHistory,
  sink: FindingSink,
): Promise<void> {
  for (const [id, bundle] of bundles.live) {
    const key = bundleKey(id)
    const message = `${key} is in no history: its save did not end, or has not yet; saving it again completes it`
    if (!history.ids.has(id)) await sink.add('warning', 'bundle-without-entry', key, message)
    const previous = bundle?.entry.previous
    if (previous === undefined || history.ids.has(previous) || live.bundles.has(previous)) continue
    if ((await storage.get(bundleKey(previous))) !== undefined) continue
    const lost = `${key} continues ${previous}, which this store does not hold`
    await sink.add('warning', 'previous-missing', key, lost)
  }
}

function byLevelAndKey(a: StoreFinding, b: StoreFinding): number {
  const [first, second] = [a, b].map(({ level, key }) => `${level} ${key}`)
  return (first ?? '') < (second ?? '') ? -1 : first === second ? 0 : 1
}
