import type { BundleKind } from '../../bundle/bundle-names.ts'
import { TenfoldError } from '../../errors.ts'
import type { HistoryEntry } from '../history-entry.ts'
import type { RetainedBundle } from './move-bundle.ts'

/** Which bundles may go. If both are given, a bundle goes that is beyond `keepLast` and older than `olderThan`. */
export interface PrunePolicy {
  /** Keep this many of the newest of each track and kind, at least 1. */
  readonly keepLast?: number | undefined
  /** Keep what is younger, in milliseconds. */
  readonly olderThan?: number | undefined
  /** Only bundles of these kinds. @default all */
  readonly kinds?: readonly BundleKind[] | undefined
  /** Only bundles of these tracks. @default all */
  readonly tracks?: readonly string[] | undefined
  /** Let bundles go that a kept one names as `previous`. @default false */
  readonly breakLinks?: boolean | undefined
  /** The time from which `olderThan` counts back. @default the time of the call */
  readonly now?: Date | undefined
}

/**
 * A bundle that the policy lets go but that stays: LATEST names it or a later save may, or a kept bundle continues it.
 */
export interface KeptBundle {
  readonly entry: HistoryEntry
  readonly reason: 'latest' | 'previous'
}

export interface ChosenBundles {
  readonly chosen: readonly RetainedBundle[]
  readonly kept: readonly KeptBundle[]
}

/**
 * Applies a policy, without reading or writing anything. `latest` gives for each track the id from which on nothing
 * may go; nothing of a track without one may go. `links` are ids that something else continues.
 */
export function choosePruned(
  bundles: readonly RetainedBundle[],
  latest: ReadonlyMap<string, string>,
  links: readonly string[],
  policy: PrunePolicy,
): ChosenBundles {
  const kept: KeptBundle[] = []
  const chosen = new Map<string, RetainedBundle>()
  for (const bundle of policyMatches(bundles, policy)) {
    const { id, track } = bundle.entry
    const pointed = bundle.live && id >= (latest.get(track) ?? '')
    if (pointed) kept.push({ entry: bundle.entry, reason: 'latest' })
    else chosen.set(id, bundle)
  }
  const live = bundles.filter((bundle) => bundle.live && !chosen.has(bundle.entry.id))
  const continued = policy.breakLinks ? [] : [...links, ...live.flatMap(previousOf)]
  for (let id = continued.pop(); id !== undefined; id = continued.pop()) {
    const bundle = chosen.get(id)
    if (bundle === undefined || !bundle.live) continue
    chosen.delete(id)
    kept.push({ entry: bundle.entry, reason: 'previous' })
    continued.push(...previousOf(bundle))
  }
  return { chosen: [...chosen.values()].sort(byId), kept: kept.sort(byId) }
}

/** Throws {@link TenfoldError} `bad-policy` if a policy is empty, or cannot be meant. */
export function assertPolicy({ keepLast, olderThan }: PrunePolicy): void {
  const bad = (message: string): TenfoldError => new TenfoldError('bad-policy', message)
  if (keepLast === undefined && olderThan === undefined)
    throw bad('a prune needs keepLast, olderThan or both; otherwise every bundle except the newest would go')
  if (keepLast !== undefined && !(Number.isSafeInteger(keepLast) && keepLast >= 1))
    throw bad(`expected keepLast to be a whole number of at least 1, got ${keepLast}`)
  if (olderThan !== undefined && !(Number.isFinite(olderThan) && olderThan >= 0))
    throw bad(`expected olderThan to be a number of milliseconds of at least 0, got ${olderThan}`)
}

/** Bundles pruned earlier count too: the same policy selects the same bundles again, to be deleted permanently. */
function policyMatches(bundles: readonly RetainedBundle[], policy: PrunePolicy): RetainedBundle[] {
  const { keepLast = 0, olderThan = 0, kinds, tracks, now = new Date() } = policy
  const before = now.getTime() - olderThan
  const newestFirst = bundles.toSorted((a, b) => byId(b, a))
  const counts = new Map<string, number>()
  return newestFirst.filter(({ entry }) => {
    const group = `${entry.track} ${entry.kind}`
    const place = (counts.get(group) ?? 0) + 1
    counts.set(group, place)
    return (
      place > keepLast &&
      (olderThan === 0 || Date.parse(entry.createdAt) < before) &&
      (kinds?.includes(entry.kind) ?? true) &&
      (tracks?.includes(entry.track) ?? true)
    )
  })
}

function previousOf({ live, entry }: RetainedBundle): string[] {
  return live && entry.previous !== undefined ? [entry.previous] : []
}

function byId({ entry: a }: { entry: HistoryEntry }, { entry: b }: { entry: HistoryEntry }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
