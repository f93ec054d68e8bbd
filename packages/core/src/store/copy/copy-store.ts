import { TenfoldError } from '../../errors.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { bundleKey } from '../bundle-keys.ts'
import { renewLatest } from '../latest.ts'
import { ledgerPrefix, parseWorkKey } from '../ledger-keys.ts'
import { decodePruned, isTombstone } from '../prune/pruned-history.ts'
import { prunedKey } from '../pruned-keys.ts'
import { bundleLayout, checkpointLayout, parsePlace } from '../track-places.ts'
import { copyObject } from './copy-object.ts'
import { objectsToCopy, withoutPruned } from './copy-selection.ts'

/** Options of {@link copyStore}. */
export interface CopyOptions {
  /** Only these tracks, with their bundles, archives, checkpoints and entries in the ledger. @default all tracks */
  readonly tracks?: readonly string[] | undefined
  /** Copy archived logs too. @default true */
  readonly archives?: boolean | undefined
  /** Receives each object that was copied or already present. */
  readonly report?: ((progress: CopyProgress) => void) | undefined
  /** Stops between two objects; a later copy continues. */
  readonly signal?: AbortSignal | undefined
}

/** Progress of {@link copyStore}, in objects and in bytes of the source. */
export interface CopyProgress {
  /** Objects that are done. */
  readonly done: number
  /** Objects in all. */
  readonly of: number
  /** Bytes that were copied. */
  readonly bytes: number
  /** Bytes to copy in all. */
  readonly ofBytes: number
}

/** Result of {@link copyStore}. */
export interface CopyResult {
  /** Objects that the other store did not have. */
  readonly copied: number
  /** Bytes that were written. */
  readonly bytes: number
  /** Objects that were already present with the same content. */
  readonly existing: number
  /** Keys that hold something else in the target; nothing there was overwritten. */
  readonly conflicts: readonly string[]
  /** History entries that were not copied because the target lacks their bundle. */
  readonly withoutBundle: readonly string[]
  /** Keys that the target should list after the copy but does not. */
  readonly missing: readonly string[]
  /** Tracks whose LATEST was renewed in the target. */
  readonly tracks: number
}

const parallelCopies = 8

/**
 * Copies a store into another: archived logs and everything else first, then bundles, then the history entries that
 * commit them, then the ledger, and renews each LATEST there. Objects that exist already with the same content are
 * left, so an interrupted copy continues if it is run again. Throws {@link StorageError} if a store fails.
 */
export async function copyStore(from: Storage, to: Storage, options: CopyOptions = {}): Promise<CopyResult> {
  const { tracks, archives = true, signal, report } = options
  const wanted = await objectsToCopy(from, tracks, archives)
  const existing = await listSizes(to)
  const whole = new Set(existing.keys())
  const counts = { copied: 0, bytes: 0, existing: 0 }
  const conflicts: string[] = []
  const withoutBundle: string[] = []
  const fromKeys = new Set(wanted.map(({ key }) => key))
  const progress = {
    done: 0,
    of: wanted.length,
    bytes: 0,
    ofBytes: wanted.reduce((sum, { size }) => sum + size, 0),
  }
  for (const phase of [1, 2, 3, 4]) {
    const objects = wanted.filter(({ key }) => phaseOf(key) === phase)
    await inParallel(objects, parallelCopies, async (object) => {
      const { key, size } = object
      signal?.throwIfAborted()
      if (phase === 3 && (await lacksBundle(from, key, whole))) withoutBundle.push(key)
      else if (phase === 4 && lacksWork(key, fromKeys, whole)) withoutBundle.push(key)
      else {
        const copied = await copyObject(from, to, object, existing.get(key))
        if (copied === 'conflict') {
          conflicts.push(key)
          whole.delete(key)
        } else if (copied === 'existing') counts.existing += 1
        else if (copied !== 'gone') {
          whole.add(key)
          counts.copied += 1
          counts.bytes += copied.bytes
        }
      }
      progress.done += 1
      progress.bytes += size
      report?.({ ...progress })
    })
  }
  const copiedTracks = new Set(wanted.flatMap(({ key }) => parsePlace(bundleLayout, key)?.track ?? []))
  for (const track of copiedTracks) await renewLatest(to, track)
  // The next who reads a checkpoint there makes LATEST again.
  if (wanted.some(({ key }) => parsePlace(checkpointLayout, key) !== undefined))
    for (const form of ['json', 'md']) await to.delete(`checkpoints/LATEST.${form}`)
  const missing = await listMissing(
    from,
    to,
    wanted.map(({ key }) => key).filter((key) => !withoutBundle.includes(key)),
  )
  return {
    ...counts,
    conflicts: conflicts.sort(),
    withoutBundle: withoutBundle.sort(),
    missing,
    tracks: copiedTracks.size,
  }
}

/** History entries commit what they name, so they come after it; what the ledger says is true once that is there. */
function phaseOf(key: string): 1 | 2 | 3 | 4 {
  if (key.startsWith(ledgerPrefix)) return 4
  const own = withoutPruned(key)
  if ((parsePlace(bundleLayout, own) ?? parsePlace(checkpointLayout, own)) !== undefined) return 3
  return own.startsWith('bundles/') ? 2 : 1
}

/** Whether an entry of the ledger names a bundle that was to be copied, and that the target does not have. */
function lacksWork(key: string, from: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  const bundle = bundleKey(parseWorkKey(key)?.bundleId ?? '')
  const keys = [bundle, prunedKey(bundle)].filter((each) => from.has(each))
  return keys.length > 0 && !keys.some((each) => whole.has(each))
}

/** Whether an entry names a bundle that the target does not have; unknown for a damaged entry or a tombstone. */
async function lacksBundle(from: Storage, key: string, whole: ReadonlySet<string>): Promise<boolean> {
  const stored = await from.get(key)
  const entry = stored && decodeOrFault(() => decodePruned(key, stored.bytes))
  if (entry === undefined || TenfoldError.isInstance(entry) || isTombstone(entry)) return false
  return !whole.has(entry.key) && !whole.has(prunedKey(entry.key))
}

async function listSizes(storage: Storage): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { key, size } of storage.list('')) sizes.set(key, size)
  return sizes
}

/** Keys that the target does not list at the end, except objects that were pruned from the source in the meantime. */
async function listMissing(from: Storage, to: Storage, keys: readonly string[]): Promise<string[]> {
  const existing = await listSizes(to)
  const missing: string[] = []
  for (const key of keys) if (!existing.has(key) && (await from.get(key)) !== undefined) missing.push(key)
  return missing
}
