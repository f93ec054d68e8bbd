import { inParallel } from '../../storage/in-parallel.ts'
import { hasEnded, ownerOf } from '../../storage/process-owner.ts'
import type { Storage } from '../../storage/storage.ts'
import type { HistoryEntry } from '../history.ts'
import { bundleKey, latestKey, leasePrefix } from '../keys.ts'
import { readLease } from '../lease-record.ts'
import { bundleTracks } from '../stored-bundle.ts'
import { newestOrFault } from '../track-store.ts'
import { assertPolicy, choosePruned, type PrunePolicy } from './policy.ts'
import {
  archivesToMove,
  deleteMovedArchives,
  dropIndexes,
  moveArchives,
  settleArchives,
} from './prune-archives.ts'
import { type PruneState, readPruneState, type SkippedKey } from './prune-state.ts'
import { bringBundleBack, deleteMoved, moveBundle } from './pruned.ts'

const parallelMoves = 4

/** Result of {@link planPrune}. */
export interface PrunePlan {
  /** Bundles to move below `pruned/`, oldest first. */
  readonly move: readonly HistoryEntry[]
  /** Bundles already below `pruned/` that the policy selects; deleted with `delete`. */
  readonly pruned: readonly HistoryEntry[]
  /** Bundles that the policy selects but that stay, because LATEST names them or a later save may. */
  readonly kept: readonly HistoryEntry[]
  /** Digests of archived logs that no bundle will refer to. */
  readonly archives: readonly string[]
  /** Damaged or unknown objects, which are left unchanged. */
  readonly skipped: readonly SkippedKey[]
}

/** Options of {@link prune}. */
export interface PruneOptions extends PrunePolicy {
  /** Delete permanently instead of moving below `pruned/`, including what an earlier prune moved. @default false */
  readonly delete?: boolean | undefined
  /** Called after each bundle that was moved or deleted. */
  readonly report?: ((progress: { readonly done: number; readonly of: number }) => void) | undefined
  /** Stops between two bundles; a later prune continues from there. */
  readonly signal?: AbortSignal | undefined
}

/** Result of {@link prune}. */
export interface PruneResult {
  /** Bundles moved below `pruned/`. */
  readonly moved: readonly HistoryEntry[]
  /** Bundles deleted from the store. */
  readonly deleted: readonly HistoryEntry[]
  /** Bundles that the policy selects but that stay. */
  readonly kept: readonly HistoryEntry[]
  /** Digests of archived logs. */
  readonly archives: { readonly moved: readonly string[]; readonly deleted: readonly string[] }
  /** Objects that could not be pruned, and why. */
  readonly skipped: readonly SkippedKey[]
}

/**
 * Returns what {@link prune} would do. Throws {@link TenfoldError} `bad-policy`, or {@link StorageError} if the storage
 * fails.
 */
export async function planPrune(storage: Storage, policy: PrunePolicy): Promise<PrunePlan> {
  const { state, chosen, kept, skipped } = await choose(storage, policy)
  const leaving = new Set(chosen.map(({ entry }) => entry.id))
  return {
    move: chosen.filter(({ live }) => live).map(({ entry }) => entry),
    pruned: chosen.filter(({ live }) => !live).map(({ entry }) => entry),
    kept,
    archives: await archivesToMove(storage, state, leaving),
    skipped,
  }
}

/**
 * Moves the bundles that the policy selects below `pruned/`, where `load` still finds them by id, with the archives of
 * logs that no bundle needs any more; with `delete` permanently. Never prunes the bundle that LATEST of a track names,
 * or newer ones. May run while others save. After an interruption, everything is readable in either place, and the same
 * prune completes it. Throws {@link TenfoldError} `bad-policy`, or {@link StorageError} if the storage fails.
 */
export async function prune(storage: Storage, options: PruneOptions): Promise<PruneResult> {
  const { signal, report } = options
  const { state, chosen, kept, skipped } = await choose(storage, options)
  const live = chosen.filter((bundle) => bundle.live).map(({ entry }) => entry)
  const of = live.length + (options.delete === true ? chosen.length : 0)
  let done = 0
  const step = (): void => {
    report?.({ done: ++done, of })
    signal?.throwIfAborted()
  }
  const faults = await inParallel(live, parallelMoves, async (entry) => {
    const fault = await moveBundle(storage, entry)
    step()
    return fault
  })
  const moved = live.filter((_, index) => faults[index] === undefined)
  for (const [index, { id }] of live.entries())
    if (faults[index] !== undefined) skipped.push({ key: bundleKey(id), reason: faults[index] })
  const after = await settleBundles(storage, state, moved)
  const toMove = await archivesToMove(storage, after)
  const movedArchives = await moveArchives(storage, after, toMove, skipped)
  const settled = movedArchives.length === 0 ? after : await settleBundles(storage, after, moved)
  const back = await settleArchives(storage, settled, movedArchives)
  await dropDeadLeases(storage)
  if (moved.length > 0 || options.delete === true) await dropIndexes(storage, settled)
  const archives = { moved: movedArchives.filter((sha256) => !back.includes(sha256)), deleted: [] }
  if (options.delete !== true) return { moved, deleted: [], kept, archives, skipped }

  const justMoved = new Set(moved)
  const deleted = chosen.filter(({ live, entry }) => !live || justMoved.has(entry)).map(({ entry }) => entry)
  await inParallel(deleted, parallelMoves, async (entry) => {
    await deleteMoved(storage, entry)
    step()
  })
  const end = await readPruneState(storage, settled)
  const deletedArchives = await deleteMovedArchives(storage, end, skipped)
  return { moved: [], deleted, kept, archives: { moved: [], deleted: deletedArchives }, skipped }
}

async function choose(storage: Storage, policy: PrunePolicy) {
  assertPolicy(policy)
  const state = await readPruneState(storage)
  const skipped = [...state.skipped]
  const latest = new Map<string, string>()
  for (const track of new Set(state.inventory.live.entries.map((place) => place.track))) {
    const newest = await newestOrFault(storage, bundleTracks, track)
    if (newest instanceof Error) skipped.push({ key: latestKey(track), reason: newest.message })
    else if (newest !== undefined) latest.set(track, newest.value.id)
  }
  return { state, skipped, ...choosePruned([...state.bundles.values()], latest, policy) }
}

/** Brings a bundle back if a save found it in the store just before it was moved and has added an entry since. */
async function settleBundles(
  storage: Storage,
  before: PruneState,
  moved: readonly HistoryEntry[],
): Promise<PruneState> {
  const state = await readPruneState(storage, before)
  for (const { id } of moved) if (state.bundles.get(id)?.live) await bringBundleBack(storage, id)
  return state
}

/** Maximum milliseconds that a run works on one log. */
const longestWorkMs = 24 * 60 * 60 * 1000

/**
 * Deletes leases of runs that were killed after their work was done, which nobody takes over. The end of a process on
 * another machine is assumed from its age; a run that lost a lease by mistake puts it back.
 */
async function dropDeadLeases(storage: Storage): Promise<void> {
  const keys: string[] = []
  for await (const { key } of storage.list(leasePrefix, { sizes: false })) keys.push(key)
  for (const key of keys) {
    const stored = await storage.get(key)
    const lease = stored && readLease(key, stored.bytes)
    if (lease === undefined) continue
    const owner = lease.owner === undefined ? undefined : ownerOf(lease.owner)
    const isOld = Date.now() - Date.parse(lease.since) > longestWorkMs
    if (isOld || (owner !== undefined && hasEnded(owner))) await storage.delete(key)
  }
}
