import { putIfAbsent } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { bundleKey, historyKey } from '../bundle-keys.ts'
import { type StoreInventory, takeInventory } from '../store-inventory.ts'
import { type FindingSink, findingSink, type StoreFinding } from './store-finding.ts'
import { verifyArchivedFiles, verifyArchives } from './verify-archives.ts'
import { type CheckedBundle, verifyBundles } from './verify-bundles.ts'
import { type CheckedBundles, type CheckedHistory, verifyHistory } from './verify-history.ts'
import { verifyLatest } from './verify-latest.ts'

/** Options of {@link verifyStore}. */
export interface VerifyOptions {
  /** Unpack each archived file and compare its digest; otherwise only check that it exists. @default true */
  readonly deep?: boolean | undefined
  /**
   * Rewrite a LATEST that is wrong, Markdown and entries that are missing, and copy back what a prune moved although it
   * is in use. Nothing is deleted, and nothing with other content is overwritten except LATEST.
   * @default false
   */
  readonly repair?: boolean | undefined
  /** Receives each bundle and archived file that was checked. */
  readonly report?: ((progress: VerifyProgress) => void) | undefined
  /** Ends the check. */
  readonly signal?: AbortSignal | undefined
}

/** Progress of {@link verifyStore}. */
export interface VerifyProgress {
  /** What is being checked. */
  readonly step: 'bundles' | 'archives'
  /** Objects that were checked. */
  readonly done: number
  /** Objects in all. */
  readonly of: number
}

/** Result of {@link verifyStore}. */
export interface VerifyReport {
  /** True if there is no fault, or none that was not repaired. */
  readonly ok: boolean
  /** Numbers of checked objects; `pruned` are bundles that prune moved. */
  readonly checked: {
    readonly tracks: number
    readonly entries: number
    readonly bundles: number
    readonly pruned: number
    readonly archives: number
    /** Archived logs that bundles mention and of which nothing is here: a clone of a repository leaves them out. */
    readonly notHere: number
    /** Archived files that were unpacked. */
    readonly archivedFiles: number
  }
  /** Faults first, each kind in the order of keys. */
  readonly findings: readonly StoreFinding[]
}

/**
 * Checks a whole store: that each bundle is valid and its Markdown matches, that entries name what was saved, that each
 * track has an intact bundle, and that archives hold the bytes of their digests. Objects without an owner are warnings.
 * May run while others save. Throws {@link StorageError} if the storage fails.
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
    await sink.add('warning', 'stray', key, `${key} was not written by tenfold`)

  const countBundle = counter('bundles', live.bundles.size + pruned.bundles.size)
  const bundles = {
    live: await verifyBundles(storage, live, sink, countBundle),
    pruned: await verifyBundles(storage, pruned, sink, countBundle),
  }
  const history = await verifyHistory(storage, inventory, bundles, sink)
  await warnOfUnlinked(storage, inventory, bundles, history, sink)
  const tracks = await verifyLatest(storage, inventory, sink)

  const notHere = await verifyArchives(storage, inventory, { bundles, history }, sink)
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
      notHere,
      archivedFiles: files,
    },
    findings: findings.sort(byLevelAndKey),
  }
}

/** Warns of bundles that no history entry names, and of bundles whose `previous` is missing. */
async function warnOfUnlinked(
  storage: Storage,
  { live }: StoreInventory,
  bundles: CheckedBundles,
  history: CheckedHistory,
  sink: FindingSink,
): Promise<void> {
  for (const [id, bundle] of bundles.live) {
    const key = bundleKey(id)
    const message = `${key} is on no track: its save was interrupted, or is still running, or its entry is lost`
    if (!history.ids.has(id))
      await sink.add('warning', 'bundle-without-entry', key, message, () => commitAgain(storage, bundle))
    const previous = bundle?.entry.previous
    if (previous === undefined || history.ids.has(previous) || live.bundles.has(previous)) continue
    if ((await storage.get(bundleKey(previous))) !== undefined) continue
    const lost = `${key} continues ${previous}, which is not in this store`
    await sink.add('warning', 'previous-missing', key, lost)
  }
}

async function commitAgain(storage: Storage, bundle: CheckedBundle | undefined): Promise<boolean> {
  if (bundle === undefined) return false
  const { track, id } = bundle.entry
  return await putIfAbsent(storage, historyKey(track, id), encodeJson(bundle.entry))
}

function byLevelAndKey(a: StoreFinding, b: StoreFinding): number {
  const [first, second] = [a, b].map(({ level, key }) => `${level} ${key}`)
  return (first ?? '') < (second ?? '') ? -1 : first === second ? 0 : 1
}
