import { inParallel } from '../storage/in-parallel.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage, StoredObject } from '../storage/storage.ts'
import { parseStoredJson } from '../storage/stored-json.ts'
import { listedFiles } from './archive/read-archive.ts'
import {
  archiveFileKey,
  archiveKey,
  bundleKey,
  bundleMarkdownKey,
  getKept,
  indexedLog,
  leasePrefix,
  ledgerPrefix,
  parseWorkKey,
  prunedKey,
  prunedPrefix,
} from './keys.ts'
import { archivedDigest, decodePruned, holdsSame, isTombstone, readPruned } from './prune/pruned.ts'
import { takeInventory } from './store-inventory.ts'
import { bundleTracks, renewLatest } from './stored-bundle.ts'
import { bundleLayout, checkpointLayout, type Place, parsePlace } from './track-places.ts'
import { getDecoded, readEntries } from './track-store.ts'

/** Options of {@link copyStore}. */
export interface CopyOptions {
  /** Only these tracks, with their bundles, archives, checkpoints and entries in the ledger. @default all tracks */
  readonly tracks?: readonly string[] | undefined
  /** Copy archived logs too. @default true */
  readonly archives?: boolean | undefined
  /** Receives each object that was copied or already present. */
  readonly report?: ((progress: CopyProgress) => void) | undefined
  /** Stops between two objects; a later copy continues from there. */
  readonly signal?: AbortSignal | undefined
}

/** Progress of {@link copyStore}, in objects and in bytes of the source. */
export interface CopyProgress {
  /** Number of objects that were handled so far. */
  readonly done: number
  /** Total number of objects. */
  readonly of: number
  /** Bytes of the objects that were handled so far. */
  readonly bytes: number
  /** Total bytes of all objects. */
  readonly ofBytes: number
}

/** Result of {@link copyStore}. */
export interface CopyResult {
  /** Number of objects that the target lacked. */
  readonly copied: number
  /** Bytes that were written. */
  readonly bytes: number
  /** Number of objects that the target had already, with the same content. */
  readonly existing: number
  /** Keys with other content in the target. Nothing is overwritten. */
  readonly conflicts: readonly string[]
  /** History entries that were not copied because the target lacks their bundle. */
  readonly withoutBundle: readonly string[]
  /** Keys that the target should list after the copy but does not. */
  readonly missing: readonly string[]
  /** Number of tracks whose LATEST was renewed in the target. */
  readonly tracks: number
}

const parallelCopies = 8

/**
 * Copies a store into another: first archived logs and other objects, then bundles, then the history entries that
 * commit them, then the ledger, and renews each LATEST there. Objects that exist with the same content are skipped, so
 * an interrupted copy can be run again. Throws {@link StorageError} if a store fails.
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
  // The next reader of a checkpoint in the target writes LATEST again.
  if (wanted.some(({ key }) => parsePlace(checkpointLayout, key) !== undefined))
    for (const form of ['json', 'md']) await to.delete(`checkpoints/LATEST.${form}`)
  const skipped = new Set(withoutBundle)
  const missing = await listMissing(
    from,
    to,
    [...fromKeys].filter((key) => !skipped.has(key)),
  )
  conflicts.sort()
  withoutBundle.sort()
  return { ...counts, conflicts, withoutBundle, missing, tracks: copiedTracks.size }
}

/** An entry commits the object that it names, so it is copied later; the ledger refers to both, so it is last. */
function phaseOf(key: string): 1 | 2 | 3 | 4 {
  if (key.startsWith(ledgerPrefix)) return 4
  const own = withoutPruned(key)
  if ((parsePlace(bundleLayout, own) ?? parsePlace(checkpointLayout, own)) !== undefined) return 3
  return own.startsWith('bundles/') ? 2 : 1
}

/** Whether a ledger entry names a bundle that should have been copied and that the target lacks. */
function lacksWork(key: string, from: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  const bundle = bundleKey(parseWorkKey(key)?.bundleId ?? '')
  const keys = [bundle, prunedKey(bundle)].filter((each) => from.has(each))
  return keys.length > 0 && !keys.some((each) => whole.has(each))
}

/** Whether an entry names a bundle that the target lacks; false for a damaged entry or a tombstone. */
async function lacksBundle(from: Storage, key: string, whole: ReadonlySet<string>): Promise<boolean> {
  const entry = await getDecoded(from, key, decodePruned)
  if (entry === undefined || entry instanceof Error || isTombstone(entry)) return false
  return !whole.has(entry.key) && !whole.has(prunedKey(entry.key))
}

async function listSizes(storage: Storage): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for await (const { key, size } of storage.list('')) sizes.set(key, size)
  return sizes
}

/** Returns the keys that the target lacks at the end, except those pruned from the source in the meantime. */
async function listMissing(from: Storage, to: Storage, keys: readonly string[]): Promise<string[]> {
  const existing = await listSizes(to)
  const missing: string[] = []
  for (const key of keys) if (!existing.has(key) && (await from.get(key)) !== undefined) missing.push(key)
  return missing
}

/** Result for one object: bytes written, already present, other content in the target, or gone from the source. */
type Copied = { readonly bytes: number } | 'existing' | 'conflict' | 'gone'

/**
 * Copies an object unless the target has the same content; never overwrites. An archived file of the same size is not
 * read, since its key is the digest of its uncompressed content.
 */
async function copyObject(
  from: Storage,
  to: Storage,
  { key, size }: { readonly key: string; readonly size: number },
  sizeThere: number | undefined,
): Promise<Copied> {
  if (archivedDigest(key) !== undefined && sizeThere === size) return 'existing'
  const stored = await from.get(key)
  if (stored === undefined) return 'gone'
  const { bytes } = stored
  if (sizeThere === undefined && (await putIfAbsent(to, key, bytes))) return { bytes: bytes.byteLength }
  const existing = await to.get(key)
  return existing && (await holdsSame(key, existing.bytes, bytes)) ? 'existing' : 'conflict'
}

/** Lists the objects to copy: everything except LATEST, queued logs and leases, or only the objects of some tracks. */
async function objectsToCopy(
  from: Storage,
  tracks: readonly string[] | undefined,
  archives: boolean,
): Promise<StoredObject[]> {
  const belongs = tracks === undefined ? () => true : await keysOfTracks(from, tracks)
  const objects: StoredObject[] = []
  for await (const object of from.list('')) {
    const key = withoutPruned(object.key)
    if (/\/LATEST\.(?:json|md)$/.test(key) || key.startsWith('queue/')) continue
    if (key.startsWith(leasePrefix) || indexedLog(key) !== undefined) continue
    if (!archives && key.startsWith('archive/')) continue
    if (belongs(key)) objects.push(object)
  }
  return objects
}

/** Returns the key that an object had before it was pruned. */
function withoutPruned(key: string): string {
  return key.startsWith(prunedPrefix) ? key.slice(prunedPrefix.length) : key
}

/** Returns a test for the keys of some tracks: their history, its bundles, and the archives and ledger entries of these. */
async function keysOfTracks(from: Storage, tracks: readonly string[]): Promise<(key: string) => boolean> {
  const names = new Set(tracks)
  const { live, pruned } = await takeInventory(from)
  const ofTracks = ({ track }: { readonly track: string }): boolean => names.has(track)
  // The bundle of a damaged entry is unknown; only the entry is copied.
  const entries = await readEntries(from, bundleTracks, live.entries.filter(ofTracks), () => {})
  const moved = await readPruned(from, pruned.entries.filter(ofTracks))
  const keys = new Set<string>()
  for (const entry of [...entries, ...moved]) {
    if (entry instanceof Error || isTombstone(entry)) continue
    keys.add(bundleKey(entry.id)).add(bundleMarkdownKey(entry.id))
    await addArchive(from, entry.sourceSha256, keys)
  }
  for (const key of await ledgerOfTracks(from, names, [...live.entries, ...pruned.entries])) keys.add(key)
  const trackOf = (key: string): string | undefined => /^(?:tracks|checkpoints)\/([^/]+)\//.exec(key)?.[1]
  return (key) => keys.has(key) || names.has(trackOf(key) ?? '')
}

const parallelReads = 8

/** Returns the keys of ledger entries about bundles of some tracks, and about their sessions without a stored bundle. */
async function ledgerOfTracks(
  from: Storage,
  tracks: ReadonlySet<string>,
  places: readonly Place[],
): Promise<string[]> {
  const trackOfBundle = new Map(places.map(({ id, track }) => [id, track]))
  const keys: string[] = []
  const unstored: string[] = []
  for await (const { key } of from.list(ledgerPrefix, { sizes: false })) {
    const work = parseWorkKey(key)
    if (work === undefined || work.started) continue
    const track = trackOfBundle.get(work.bundleId)
    if (track === undefined) unstored.push(key)
    else if (tracks.has(track)) keys.push(key)
  }
  await inParallel(unstored, parallelReads, async (key) => {
    const entry = await getDecoded(from, key, parseStoredJson)
    if (hasTrack(entry) && tracks.has(entry.track)) keys.push(key)
  })
  return keys
}

function hasTrack(entry: unknown): entry is { readonly track: string } {
  return typeof entry === 'object' && entry !== null && 'track' in entry && typeof entry.track === 'string'
}

async function addArchive(from: Storage, sha256: string, keys: Set<string>): Promise<void> {
  const key = archiveKey(sha256)
  const files = keys.has(key) ? undefined : await listedFiles({ get: (each) => getKept(from, each) }, sha256)
  if (files === undefined) return
  keys.add(key)
  if (!(files instanceof Error)) for (const file of files) keys.add(archiveFileKey(file.sha256))
}
