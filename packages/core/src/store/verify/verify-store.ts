import { putIfAbsent } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { bundleKey, historyKey, latestKey } from '../keys.ts'
import { copyFault } from '../latest-copies.ts'
import { type StorePart, takeInventory } from '../store-inventory.ts'
import { bundleTracks, latestCopies, renewLatest } from '../stored-bundle.ts'
import { newestOrFault } from '../track-store.ts'
import { type StoreCheck, type StoreFinding, storeCheck } from './store-finding.ts'
import { verifyArchivedFiles, verifyArchives } from './verify-archives.ts'
import { type CheckedHistory, type CheckedPart, verifyBundles, verifyHistory } from './verify-bundles.ts'

/** Options of {@link verifyStore}. */
export interface VerifyOptions {
  /** Unpack each archived file and compare its digest; otherwise only check that it exists. @default true */
  readonly deep?: boolean | undefined
  /**
   * Rewrite a wrong LATEST and missing Markdown and entries, and copy back what a prune moved although it is in use.
   * Nothing is deleted, and nothing with other content is overwritten except LATEST.
   * @default false
   */
  readonly repair?: boolean | undefined
  /** Called after each bundle and archived file that was checked. */
  readonly report?: ((progress: VerifyProgress) => void) | undefined
  /** Aborts the check. */
  readonly signal?: AbortSignal | undefined
}

/** Progress of {@link verifyStore}. */
export interface VerifyProgress {
  /** The kind of objects that is being checked. */
  readonly step: 'bundles' | 'archives'
  /** Number of checked objects. */
  readonly done: number
  /** Total number of objects. */
  readonly of: number
}

/** Result of {@link verifyStore}. */
export interface VerifyReport {
  /** True if every fault was repaired, or there is none. */
  readonly ok: boolean
  /** Numbers of checked objects. `pruned` are bundles that prune moved. */
  readonly checked: {
    readonly tracks: number
    readonly entries: number
    readonly bundles: number
    readonly pruned: number
    readonly archives: number
    /** Archived logs of bundles of which nothing is here: a clone of a repository leaves them out. */
    readonly notHere: number
    /** Archived files that were unpacked. */
    readonly archivedFiles: number
  }
  /** Faults first, each level in the order of keys. */
  readonly findings: readonly StoreFinding[]
}

/**
 * Checks a whole store: that each bundle is valid and its Markdown matches, that entries match what was saved, that
 * each track has an intact bundle, and that archived bytes match their digests. Objects without an owner are warnings.
 * May run while others save. Throws {@link StorageError} if the storage fails.
 */
export async function verifyStore(storage: Storage, options: VerifyOptions = {}): Promise<VerifyReport> {
  const { deep = true, repair = false, report, signal } = options
  const findings: StoreFinding[] = []
  const check = storeCheck(storage, findings, repair)
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
    await check.warn('stray', key, `${key} was not written by tenfold`)

  const countBundle = counter('bundles', live.bundles.size + pruned.bundles.size)
  const bundles = {
    live: await verifyBundles(check, live, countBundle),
    pruned: await verifyBundles(check, pruned, countBundle),
  }
  const history = await verifyHistory(check, inventory, bundles)
  await warnOfUnlinked(check, live, bundles.live, history)
  const tracks = await verifyLatest(check, live)

  const notHere = await verifyArchives(check, inventory, { bundles, history })
  const files = deep ? live.files.size + pruned.files.size : 0
  if (deep) await verifyArchivedFiles(check, inventory, counter('archives', files))
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

/** Warns of bundles without a history entry, and of bundles whose `previous` is missing. */
async function warnOfUnlinked(
  check: StoreCheck,
  part: StorePart,
  bundles: CheckedPart,
  { ids }: CheckedHistory,
): Promise<void> {
  const { storage } = check
  for (const [id, bundle] of bundles) {
    const key = bundleKey(id)
    if (!ids.has(id)) {
      const message = `${key} is on no track: its save was interrupted, or is still running, or its entry is lost`
      await check.warn('bundle-without-entry', key, message, async () => {
        if (bundle === undefined) return false
        const { entry } = bundle
        return await putIfAbsent(storage, historyKey(entry.track, id), encodeJson(entry))
      })
    }
    const previous = bundle?.entry.previous
    if (previous === undefined || ids.has(previous) || part.bundles.has(previous)) continue
    if ((await storage.get(bundleKey(previous))) !== undefined) continue
    const lost = `${key} continues ${previous}, which is not in this store`
    await check.warn('previous-missing', key, lost)
  }
}

/** Checks that each track has an intact bundle, and that LATEST, if it exists, is a copy of the newest. */
async function verifyLatest(check: StoreCheck, { entries, latest }: StorePart): Promise<string[]> {
  const { storage } = check
  const tracks = [...new Set([...entries.map(({ track }) => track), ...latest])].sort()
  for (const track of tracks) {
    const newest = await newestOrFault(storage, bundleTracks, track)
    const own = latestKey(track)
    if (newest instanceof Error) check.fault('latest-broken', own, newest.message)
    else if (newest !== undefined)
      for (const [key, bytes] of await latestCopies(storage, newest)) {
        const fault = await copyFault(storage, key, bytes)
        if (fault === undefined) continue
        const message = `${fault}; the newest intact bundle of track ${track} is ${newest.value.id}`
        await check.warn('latest-behind', key, message, async () => {
          return (await renewLatest(storage, track)) === undefined
        })
      }
    else if (latest.has(track)) await check.warn('stray', own, `${own} is of a track without bundles`)
  }
  return tracks
}

function byLevelAndKey(a: StoreFinding, b: StoreFinding): number {
  const [first, second] = [a, b].map(({ level, key }) => `${level} ${key}`)
  return (first ?? '') < (second ?? '') ? -1 : first === second ? 0 : 1
}
