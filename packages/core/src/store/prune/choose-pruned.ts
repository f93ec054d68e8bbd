import type { BundleKind } from '../../bundle/schema.ts'
import { TenfoldError } from '../../errors.ts'
import type { HistoryEntry } from '../history-entry.ts'
import type { RetainedBundle } from './move-bundle.ts'

/** Which bundles may go. If both are given, a bundle goes that is beyond `keepLast` and older than `olderThan`. */
export interface PrunePolicy {
  /** Keep this many of the newest of each track and kind, at least 1. */
  readonly keepLast?: number
  /** Keep what is younger, in milliseconds. */
  readonly olderThan?: number
  /** Only bundles of these kinds. @default all */
  readonly kinds?: readonly BundleKind[]
  /** Only bundles of these tracks. @default all */
  readonly tracks?: readonly string[]
  /** Let bundles go that a kept one names as `previous`. @default false */
  readonly breakLinks?: boolean
  /** The time from which `olderThan` counts back. @default the time of the call */
  readonly now?: Date
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
 * Applies a policy, without reading or writing anything. `latest` gives for each track the number from which on nothing
 * may go; nothing of a track without one may go. `links` are ids that something else continues.
 */
export function choosePruned(
  bundles: readonly RetainedBundle[],
  latest: ReadonlyMap<string, number>,
  links: readonly string[],
  policy: PrunePolicy,
): ChosenBundles {
  const kept: KeptBundle[] = []
  const chosen = new Map<string, RetainedBundle>()
  for (const bundle of policyMatches(bundles, policy)) {
    const pointed = bundle.live.some(({ track, sequence }) => sequence >= (latest.get(track) ?? 0))
    if (pointed) kept.push({ entry: newestEntry(bundle), reason: 'latest' })
    else chosen.set(bundle.id, bundle)
  }
  const live = bundles.filter((bundle) => bundle.live.length > 0 && !chosen.has(bundle.id))
  const continued = policy.breakLinks ? [] : [...links, ...live.flatMap(previousOf)]
  for (let id = continued.pop(); id !== undefined; id = continued.pop()) {
    const bundle = chosen.get(id)
    if (bundle === undefined || bundle.live.length === 0) continue
    chosen.delete(id)
    kept.push({ entry: newestEntry(bundle), reason: 'previous' })
    continued.push(...previousOf(bundle))
  }
  return { chosen: [...chosen.values()].sort(byId), kept: kept.sort((a, b) => byId(a.entry, b.entry)) }
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

export function newestEntry(bundle: RetainedBundle): HistoryEntry {
  const [first, ...others] = [...bundle.live, ...bundle.pruned]
  if (first === undefined) throw new TypeError(`bundle ${bundle.id} has no entry`)
  return others.reduce((newest, entry) => (entry.sequence > newest.sequence ? entry : newest), first)
}

/** Bundles pruned earlier count too: the same policy selects the same bundles again, to be deleted permanently. */
function policyMatches(bundles: readonly RetainedBundle[], policy: PrunePolicy): RetainedBundle[] {
  const { keepLast = 0, olderThan = 0, kinds, tracks, now = new Date() } = policy
  const before = now.getTime() - olderThan
  const newestFirst = bundles
    .map((bundle) => ({ bundle, entry: newestEntry(bundle) }))
    .sort((a, b) => b.entry.sequence - a.entry.sequence)
  const counts = new Map<string, number>()
  return newestFirst.flatMap(({ bundle, entry }) => {
    const group = `${entry.track} ${entry.kind}`
    const place = (counts.get(group) ?? 0) + 1
    counts.set(group, place)
    const goes =
      place > keepLast &&
      (olderThan === 0 || Date.parse(entry.createdAt) < before) &&
      (kinds?.includes(entry.kind) ?? true) &&
      (tracks?.includes(entry.track) ?? true)
    return goes ? [bundle] : []
  })
}

function previousOf(bundle: RetainedBundle): string[] {
  return bundle.live.flatMap(({ previous }) => previous ?? [])
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}
