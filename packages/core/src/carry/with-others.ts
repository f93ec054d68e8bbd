import { createdAtOf } from '../bundle/bundle-id.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { type HistoryEntry, readableEntries } from '../store/history.ts'
import type { CarriedItem } from './carry-over.ts'

const maxOthers = 5

/**
 * Adds to a bundle what still holds of sessions parallel to it: those that ended after the bundle that it continues and
 * that nothing continues yet. Examples are sessions that ran at the same time, one whose bundle was saved late, and
 * those of merged branches. If one of two sessions that continue the same bundle settled an item, it is removed from
 * both. Sessions with ids in `without` do not count.
 */
export async function withOthers(
  bundle: ContextBundle,
  store: Pick<BundleStore, 'load' | 'storage'>,
  without: readonly string[] = [],
): Promise<ContextBundle> {
  const others = await bundlesBeside(bundle, store, without)
  if (others.length === 0) return bundle
  // Imported here, because few briefs need it and it loads the code that reads sentences.
  const { carriable } = await import('./carry-over.ts')
  const said = others.map((other) => ({ other, keys: new Set(carriable(other).map(keyOf)) }))
  const own = new Set(carriable(bundle).map(keyOf))
  // Both were given the same items: one that a session no longer carries was done or taken back in it.
  const isSettled = (item: CarriedItem, of: ContextBundle, by: ContextBundle, keys: ReadonlySet<string>) =>
    item.from !== of.id && by.previous !== undefined && by.previous === of.previous && !keys.has(keyOf(item))
  const kept = (bundle.carried ?? []).filter(
    (item) => !said.some(({ other, keys }) => isSettled(item, bundle, other, keys)),
  )
  const added = others.flatMap((other) =>
    carriable(other).filter((item) => !own.has(keyOf(item)) && !isSettled(item, other, bundle, own)),
  )
  return { ...bundle, carried: [...kept, ...added] }
}

function keyOf({ as, text }: CarriedItem): string {
  return `${as}\n${text.toLowerCase()}`
}

async function bundlesBeside(
  { id, track, previous, source }: ContextBundle,
  store: Pick<BundleStore, 'load' | 'storage'>,
  without: readonly string[],
): Promise<ContextBundle[]> {
  const since = previous === undefined ? source.startedAt : createdAtOf(previous)
  if (since === undefined) return []
  try {
    const entries = await readableEntries(store.storage, { track, since: new Date(since) })
    const continued = new Set([previous, ...entries.map((entry) => entry.previous)])
    // A track of unrelated logs, which continue nothing, may hold several projects.
    const isOfProject = (entry: HistoryEntry): boolean => previous !== undefined || entry.cwd === source.cwd
    const isBeside = (entry: HistoryEntry): boolean =>
      entry.id !== id &&
      isOfProject(entry) &&
      !continued.has(entry.id) &&
      ![source.sessionId, ...without].includes(entry.sessionId)
    const beside = entries.filter(isBeside).slice(-maxOthers)
    return await Promise.all(beside.map(async (entry) => await store.load(entry.id)))
  } catch (error) {
    // A damaged bundle must not prevent the use of another one.
    if (!TenfoldError.isInstance(error)) throw error
    return []
  }
}
