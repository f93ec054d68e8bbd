import type { BundleKind } from '../../bundle/bundle-names.ts'
import { TenfoldError } from '../../errors.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import type { HistoryEntry } from '../history.ts'

/** Selects the bundles to prune. If both limits are given, a bundle is pruned only if it exceeds both. */
export interface PrunePolicy {
  /** Keep at least this many of the newest of each track and kind; at least 1. */
  readonly keepLast?: number | undefined
  /** Prune only bundles older than this, in milliseconds. */
  readonly olderThan?: number | undefined
  /** Only bundles of these kinds. @default all */
  readonly kinds?: readonly BundleKind[] | undefined
  /** Only bundles of these tracks. @default all */
  readonly tracks?: readonly string[] | undefined
  /** The time from which `olderThan` counts back. @default the time of the call */
  readonly now?: Date | undefined
}

/** Selects checkpoints or halt dumps to delete permanently. */
export interface DeletePolicy extends AbortableOptions, Pick<PrunePolicy, 'keepLast' | 'olderThan' | 'now'> {
  /** Only return what would be deleted. @default false */
  readonly dryRun?: boolean | undefined
}

/** A bundle by its entry, which is on its track (`live`), below `pruned/`, or, after an interruption, in both. */
export interface RetainedBundle {
  readonly entry: HistoryEntry
  readonly live: boolean
}

/**
 * Applies a policy without reading or writing anything. `latest` has, for each track, the id from which on nothing may
 * be pruned; without an id, nothing of the track may be: those are `kept`. A chain does not keep a bundle: what still
 * holds was carried over, and a link to a pruned bundle still works. Bundles pruned earlier count too: the same policy
 * selects them again, to be deleted permanently.
 */
export function choosePruned(
  bundles: readonly RetainedBundle[],
  latest: ReadonlyMap<string, string>,
  policy: PrunePolicy,
): { readonly chosen: readonly RetainedBundle[]; readonly kept: readonly HistoryEntry[] } {
  const { kinds, tracks } = policy
  const sorted = bundles.toSorted(({ entry: a }, { entry: b }) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const beyond = beyondPolicy(sorted, policy, {
    timeOf: ({ entry }) => entry.createdAt,
    groupOf: ({ entry }) => `${entry.track} ${entry.kind}`,
  }).filter(({ entry }) => (kinds?.includes(entry.kind) ?? true) && (tracks?.includes(entry.track) ?? true))
  const stays = ({ live, entry }: RetainedBundle): boolean =>
    live && entry.id >= (latest.get(entry.track) ?? '')
  return {
    chosen: beyond.filter((bundle) => !stays(bundle)),
    kept: beyond.filter(stays).map(({ entry }) => entry),
  }
}

/** Throws {@link TenfoldError} `bad-policy` if a policy is empty or makes no sense. */
export function assertPolicy({ keepLast, olderThan }: PrunePolicy): void {
  const bad = (message: string): TenfoldError => new TenfoldError('bad-policy', message)
  if (keepLast === undefined && olderThan === undefined)
    throw bad('a prune needs keepLast, olderThan or both; otherwise every bundle except the newest would go')
  if (keepLast !== undefined && !(Number.isSafeInteger(keepLast) && keepLast >= 1))
    throw bad(`expected keepLast to be a whole number of at least 1, got ${keepLast}`)
  if (olderThan !== undefined && !(Number.isFinite(olderThan) && olderThan >= 0))
    throw bad(`expected olderThan to be a number of milliseconds of at least 0, got ${olderThan}`)
}

/**
 * Returns the things, given oldest first, that are beyond the newest `keepLast` of their group and older than
 * `olderThan`.
 */
export function beyondPolicy<T>(
  things: readonly T[],
  { keepLast = 0, olderThan = 0, now = new Date() }: Pick<PrunePolicy, 'keepLast' | 'olderThan' | 'now'>,
  { timeOf, groupOf }: { timeOf(thing: T): string; groupOf(thing: T): string },
): T[] {
  const before = now.getTime() - olderThan
  const counts = new Map<string, number>()
  return things
    .toReversed()
    .filter((thing) => {
      const group = groupOf(thing)
      const place = (counts.get(group) ?? 0) + 1
      counts.set(group, place)
      return place > keepLast && (olderThan === 0 || Date.parse(timeOf(thing)) < before)
    })
    .reverse()
}
