import type { ContextBundle } from '../bundle/schema.ts'
import { withOthers } from '../carry/with-others.ts'
import { checkpointStore, newerCheckpoints } from '../checkpoint/checkpoint-store.ts'
import type { Checkpoint } from '../checkpoint/schema.ts'
import { TenfoldError } from '../errors.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { decodeOrFault } from '../storage/stored-json.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { type HistoryEntry, historyEntryOf } from '../store/history.ts'
import { bundleKey, getKept, ledgerPrefix } from '../store/keys.ts'

/** Options of {@link gather}. */
export interface GatherOptions extends AbortableOptions {
  /** Store of the bundles and checkpoints. */
  readonly store: BundleStore
  /**
   * @default the track of the task's newest bundle or checkpoint, otherwise the current track of the checkpoints,
   * otherwise `main`
   */
  readonly track?: string | undefined
  /** Use the newest bundle of this task, of any phase. */
  readonly task?: string | undefined
  /** Use this bundle instead of the newest one. */
  readonly bundle?: ContextBundle | undefined
  /** Ids of sessions whose bundles are ignored, such as running ones. */
  readonly without?: readonly string[] | undefined
  /** Ids of the checkpoints to use. @default all that are newer than the bundle */
  readonly checkpoints?: readonly string[] | undefined
}

/** A bundle with the newer checkpoints and the other bundles of its task. */
export interface Gathered {
  /** The track whose bundle and checkpoints were read. */
  readonly track: string
  /** Of `main` if no track was requested and the current track has only checkpoints. */
  readonly bundle?: ContextBundle
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[]
  /** Other bundles of the same task, oldest first. */
  readonly linked: readonly HistoryEntry[]
  /** What could not be read or trusted. */
  readonly warnings: readonly string[]
}

const maxCheckpoints = 50
/** Number of newest bundles among which one of another session is searched. */
const maxNewest = 20
const maxSteps = 20

/** Finds what can be resumed. Throws {@link TenfoldError} `no-bundle` if there is nothing, and {@link StorageError}. */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const { store, task } = options
  const warnings: string[] = []
  const found = options.bundle ?? (task === undefined ? undefined : await newestOfTask(options, warnings))
  const track = options.track ?? found?.track ?? (await trackOf(options, warnings))
  const newest = found ?? (task === undefined ? await newestOf(options, track, warnings) : undefined)
  const { checkpoints, faults } = await newerCheckpoints(store.storage, track, {
    // A bundle of another track does not make a checkpoint old.
    since: newest && (found !== undefined || newest.track === track) ? contentTime(newest) : undefined,
    bundle: newest?.id,
    max: maxCheckpoints,
    // A checkpoint without a task belongs to the bundle's task; one with another task is other work on the same track.
    matches: (entry) =>
      (options.checkpoints?.includes(entry.id) ?? true) &&
      (task === undefined || entry.task === task || (newest !== undefined && entry.task === undefined)),
  })
  if (newest === undefined && checkpoints.length === 0) throw await nothingToResume(options, track)
  const bundle =
    newest === undefined || found !== undefined
      ? newest
      : await withOthers(await bundleBefore(checkpoints.at(-1), newest, options), store, options.without)
  return {
    track,
    ...(bundle !== undefined && { bundle }),
    checkpoints,
    linked: bundle === undefined ? [] : await linkedTo(bundle, options),
    warnings: [...warnings, ...faults],
  }
}

/** Returns the time of a bundle's last content, which may be long before it was compressed. */
export function contentTime({ source, createdAt }: ContextBundle): string {
  const ended = source.endedAt === undefined ? undefined : new Date(source.endedAt).toISOString()
  return ended !== undefined && ended < createdAt ? ended : createdAt
}

async function newestOfTask(
  { store, track, task, signal }: GatherOptions,
  warnings: string[],
): Promise<ContextBundle | undefined> {
  for (const { id } of (await store.list({ task, track }, { signal })).reverse()) {
    try {
      return await store.load(id, { signal })
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      warnings.push(error.message)
    }
  }
  return undefined
}

async function trackOf({ store, task, signal }: GatherOptions, warnings: string[]): Promise<string> {
  const checkpoints = checkpointStore(store.storage, { onDamaged: (error) => warnings.push(error.message) })
  if (task !== undefined) return (await checkpoints.list({ task }, { signal }))[0]?.track ?? 'main'
  const latest = await checkpoints.latest(undefined, { signal })
  if (latest?.repaired !== undefined) warnings.push(latest.repaired)
  return latest?.checkpoint.track ?? 'main'
}

/**
 * Returns the newest bundle of a track. If the current track has only checkpoints, its sessions are bundled on `main`,
 * where hooks save them.
 */
async function newestOf(
  options: GatherOptions,
  track: string,
  warnings: string[],
): Promise<ContextBundle | undefined> {
  const latest = await latestOf(options, track, warnings)
  if (latest !== undefined || options.track !== undefined || track === 'main') return latest
  return await latestOf(options, 'main', warnings)
}

async function latestOf(
  { store, without = [], signal }: GatherOptions,
  track: string,
  warnings: string[],
): Promise<ContextBundle | undefined> {
  if (without.length > 0) {
    const newest = await store.list({ track, limit: maxNewest }, { signal })
    const entry = newest.findLast(({ sessionId }) => !without.includes(sessionId))
    return entry && (await store.load(entry.id, { signal }))
  }
  const latest = await store.latest(track, { signal })
  if (latest?.repaired !== undefined) warnings.push(latest.repaired)
  return latest?.bundle
}

/**
 * Returns the bundle that a newer checkpoint continues. It is not the track's newest one if that continues another
 * chain, as after a merge: a checkpoint of one branch is not about the bundle of the other.
 */
async function bundleBefore(
  checkpoint: Checkpoint | undefined,
  newest: ContextBundle,
  { store, signal }: GatherOptions,
): Promise<ContextBundle> {
  const id = checkpoint?.bundle
  if (id === undefined || id === newest.id) return newest
  try {
    if (newest.previous === undefined) {
      // Bundles without a predecessor are not linked; only the branch distinguishes them.
      const own = await store.load(id, { signal })
      const branch = checkpoint?.git?.branch
      const isOther = branch !== undefined && own.git.branch === branch && newest.git.branch !== branch
      return isOther ? own : newest
    }
    let before: string | undefined = newest.previous
    for (let step = 0; before !== undefined && step < maxSteps; step++) {
      if (before === id) return newest
      before = (await store.load(before, { signal })).previous
    }
    const other = await store.load(id, { signal })
    return before !== undefined || other.source.sessionId === newest.source.sessionId ? newest : other
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    return newest
  }
}

async function linkedTo(bundle: ContextBundle, { store, signal }: GatherOptions): Promise<HistoryEntry[]> {
  const { id, task, previous, source } = bundle
  if (task !== undefined) return (await store.list({ task }, { signal })).filter((entry) => entry.id !== id)
  const entry = previous === undefined ? undefined : await entryOfBundle(previous, store)
  return entry === undefined || entry.sessionId === source.sessionId ? [] : [entry]
}

/**
 * Undefined if the bundle is no longer in the store. Reads one bundle, because listing all entries would take longer
 * with the history.
 */
async function entryOfBundle(id: string, { storage }: BundleStore): Promise<HistoryEntry | undefined> {
  const stored = await getKept(storage, bundleKey(id))
  if (stored === undefined) return undefined
  const { decodeBundle } = await import('../store/stored-bundle.ts')
  const bundle = decodeOrFault(() => decodeBundle(id, stored.bytes))
  return bundle instanceof Error ? undefined : historyEntryOf(bundle, stored.bytes)
}

async function nothingToResume({ store, task }: GatherOptions, track: string): Promise<TenfoldError> {
  const tracks = [...new Set([...(await store.tracks()), ...(await checkpointStore(store.storage).tracks())])]
  const others = `It has the tracks ${tracks.sort().join(', ')}: choose one (option track).`
  const done = await store.storage.list(ledgerPrefix, { sizes: false })[Symbol.asyncIterator]().next()
  const other = tracks.length > 0 ? others : done.value === undefined ? 'Compress a log first.' : nothingOwn
  const [what, dump] = task === undefined ? [`on track ${track}`, ''] : [`of task ${task}`, ' or halt dump']
  return new TenfoldError(
    'no-bundle',
    `There is no bundle ${what} in ${store.storage.name}, and no checkpoint${dump}. ${other}`,
  )
}

const nothingOwn =
  "What was compressed has nothing of its own, like a child with only its parent's history: compress the session that it belongs to."
