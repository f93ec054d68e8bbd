import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { bundleKey, latestKey } from '../bundle-keys.ts'
import type { HistoryEntry } from '../history-entry.ts'
import { readLatest, rebuildLatest } from '../latest.ts'
import {
  assertPolicy,
  choosePruned,
  type KeptBundle,
  newestEntry,
  type PrunePolicy,
} from './choose-pruned.ts'
import { bringBundleBack, deleteMoved, moveBundle, type RetainedBundle } from './move-bundle.ts'
import { archivesToMove, deleteMovedArchives, moveArchives, settleArchives } from './prune-archives.ts'
import { type PruneState, readPruneState, type SkippedKey } from './prune-state.ts'

const parallelMoves = 4

/** Plan of a prune. */
export interface PrunePlan {
  /** Bundles to move below `pruned/`, oldest first. */
  readonly move: readonly HistoryEntry[]
  /** Bundles that are already below `pruned/` and that the policy lets go: deleted if the prune is to delete. */
  readonly pruned: readonly HistoryEntry[]
  /** Bundles that the policy lets go but that stay. */
  readonly kept: readonly KeptBundle[]
  /** Digests of archived logs that no bundle will refer to. */
  readonly archives: readonly string[]
  /** Damaged or unknown objects, which are therefore left unchanged. */
  readonly skipped: readonly SkippedKey[]
}

/** Options of {@link prune}. */
export interface PruneOptions extends PrunePolicy {
  /** Delete permanently instead of moving below `pruned/`, including what an earlier prune moved. @default false */
  readonly delete?: boolean
  /** Receives each bundle that was moved or deleted. */
  readonly report?: (progress: { readonly done: number; readonly of: number }) => void
  /** Stops between two bundles; a later prune continues. */
  readonly signal?: AbortSignal
}

/** Result of a prune. */
export interface PruneResult {
  readonly moved: readonly HistoryEntry[]
  readonly deleted: readonly HistoryEntry[]
  readonly kept: readonly KeptBundle[]
  /** Digests of archived logs. */
  readonly archives: { readonly moved: readonly string[]; readonly deleted: readonly string[] }
  readonly skipped: readonly SkippedKey[]
}

/**
 * Returns what {@link prune} would do. Throws {@link TenfoldError} `bad-policy`, or {@link StorageError} if the storage
 * fails.
 */
export async function planPrune(storage: Storage, policy: PrunePolicy): Promise<PrunePlan> {
  const { state, chosen, kept, skipped } = await choose(storage, policy)
  const leaving = new Set(chosen.map(({ id }) => id))
  return {
    move: chosen.filter(isLive).map(newestEntry),
    pruned: chosen.filter((bundle) => !isLive(bundle)).map(newestEntry),
    kept,
    archives: await archivesToMove(storage, state, leaving),
    skipped,
  }
}

/**
 * Moves bundles that the policy lets go below `pruned/`, where `load` still finds them by id, with the archives of logs
 * that no bundle needs any more; with `delete` permanently. Never takes the bundle that LATEST of a track names, newer
 * ones, or, unless `breakLinks` is set, one that a kept bundle continues. Others may save at the same time. After an
 * interruption at any call everything is readable in either place, and the same prune completes it. Throws
 * {@link TenfoldError} `bad-policy`, or {@link StorageError} if the storage fails.
 */
export async function prune(storage: Storage, options: PruneOptions): Promise<PruneResult> {
  const { signal, report, now = new Date() } = options
  const { state, chosen, kept, skipped } = await choose(storage, options)
  const live = chosen.filter(isLive)
  const of = live.length + (options.delete === true ? chosen.length : 0)
  let done = 0
  const step = (): void => {
    report?.({ done: ++done, of })
    signal?.throwIfAborted()
  }
  const faults = await inParallel(live, parallelMoves, async (bundle) => {
    const fault = await moveBundle(storage, bundle)
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
  const archives = { moved: movedArchives.filter((sha256) => !back.includes(sha256)), deleted: [] }
  if (options.delete !== true) return { moved: moved.map(newestEntry), deleted: [], kept, archives, skipped }

  const justMoved = new Set(moved)
  const deleted = chosen.filter((bundle) => !isLive(bundle) || justMoved.has(bundle))
  await inParallel(deleted, parallelMoves, async (bundle) => {
    await deleteMoved(storage, bundle, now)
    step()
  })
  const end = await readPruneState(storage, settled)
  const deletedArchives = await deleteMovedArchives(storage, end, skipped)
  return {
    moved: [],
    deleted: deleted.map(newestEntry),
    kept,
    archives: { moved: [], deleted: deletedArchives },
    skipped,
  }
}

async function choose(storage: Storage, policy: PrunePolicy) {
  assertPolicy(policy)
  const state = await readPruneState(storage)
  const skipped = [...state.skipped]
  const latest = await readPointers(storage, state, skipped)
  const links = state.loose.flatMap(({ previous }) => previous ?? [])
  return { state, skipped, ...choosePruned([...state.bundles.values()], latest, links, policy) }
}

/** The number from which on the entries of a track stay: LATEST's, or that of the newest intact bundle. */
async function readPointers(
  storage: Storage,
  { inventory }: PruneState,
  skipped: SkippedKey[],
): Promise<Map<string, number>> {
  const pointers = new Map<string, number>()
  for (const track of new Set(inventory.live.entries.map((place) => place.track))) {
    const newest = await rebuildLatest(storage, track)
    const latest = await readLatest(storage, track)
    const fault = [newest, latest].find((found) => typeof found === 'string')
    if (typeof newest === 'object' && typeof latest === 'object')
      pointers.set(track, Math.min(newest.entry.sequence, latest.sequence))
    else skipped.push({ key: latestKey(track), reason: fault ?? '' })
  }
  return pointers
}

/** A save that found its bundle in the store, just before it was moved, has its entry now: the bundle comes back. */
async function settleBundles(
  storage: Storage,
  before: PruneState,
  moved: readonly RetainedBundle[],
): Promise<PruneState> {
  const state = await readPruneState(storage, before)
  for (const { id } of moved)
    if ((state.bundles.get(id)?.live.length ?? 0) > 0) await bringBundleBack(storage, id)
  return state
}

function isLive(bundle: RetainedBundle): boolean {
  return bundle.live.length > 0
}
