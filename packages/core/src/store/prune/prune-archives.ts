import type { Storage } from '../../storage/storage.ts'
import { listedFiles } from '../archive/read-archive.ts'
import { archiveFileKey, archiveKey, indexedLog, prunedKey, prunedPrefix } from '../keys.ts'
import { readMentions } from '../store-inventory.ts'
import type { RetainedBundle } from './policy.ts'
import type { PruneState, SkippedKey } from './prune-state.ts'
import { bringBack, copyToPruned } from './pruned.ts'

/** Returns the digests of archived logs that no bundle needs, or will need once those in `leaving` are pruned. */
export async function archivesToMove(
  storage: Storage,
  state: PruneState,
  leaving: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const needs = ({ entry, live }: RetainedBundle): boolean => live && !leaving.has(entry.id)
  return await unneeded(storage, state, state.inventory.live.sums, needs)
}

/**
 * Returns the digests of `sums` that are referred to only by bundles that do not need them or are deleted. An archive
 * that no bundle ever named is left, since its bundle may be about to be saved. Empty if a bundle cannot be read.
 */
async function unneeded(
  storage: Storage,
  { looseSources, bundles, deletedSources, unreadable, inventory }: PruneState,
  sums: ReadonlySet<string>,
  needs: (bundle: RetainedBundle) => boolean,
): Promise<string[]> {
  if (unreadable) return []
  const used = new Set(looseSources)
  const dropped = new Set(deletedSources)
  for (const bundle of bundles.values()) (needs(bundle) ? used : dropped).add(bundle.entry.sourceSha256)
  const free = [...dropped].filter((sha256) => sums.has(sha256) && !used.has(sha256))
  if (free.length === 0) return []
  const mentions = await readMentions(storage, inventory.others)
  return free.filter((sha256) => !mentions.has(sha256)).sort()
}

/**
 * Moves archived logs below `pruned/`. A file stays if another list names it. The list is moved last, so that an
 * interrupted move is found again. Returns the digests of the moved logs.
 */
export async function moveArchives(
  storage: Storage,
  state: PruneState,
  digests: readonly string[],
  skipped: SkippedKey[],
): Promise<string[]> {
  const moving = new Set(digests)
  const others = [...state.inventory.live.sums].filter((sha256) => !moving.has(sha256))
  const listed = digests.length === 0 ? [] : await filesOf(storage, '', others, skipped)
  if (listed === undefined) return []
  const needed = new Set(listed)
  const moved: string[] = []
  for (const sha256 of digests) {
    const files = await filesOf(storage, '', [sha256], skipped)
    if (files === undefined) continue
    const free = files.filter((file) => !needed.has(file)).map(archiveFileKey)
    const keys = [...free, archiveKey(sha256)]
    const differing = await firstDiffering(storage, keys)
    if (differing !== undefined)
      skipped.push({ key: differing, reason: `${prunedKey(differing)} holds other bytes` })
    else {
      for (const key of keys) await storage.delete(key)
      moved.push(sha256)
    }
  }
  return moved
}

/** Copies archives back that are in use again, by a bundle or a list saved during the move. */
export async function settleArchives(
  storage: Storage,
  state: PruneState,
  moved: readonly string[],
): Promise<string[]> {
  const used = new Set(state.looseSources)
  for (const { entry, live } of state.bundles.values()) if (live) used.add(entry.sourceSha256)
  const back = moved.filter((sha256) => used.has(sha256))
  for (const sha256 of back) await bringBack(storage, archiveKey(sha256))
  const { live } = state.inventory
  for (const file of (await filesOf(storage, '', [...live.sums, ...back], [])) ?? [])
    if (!live.files.has(file)) await bringBack(storage, archiveFileKey(file))
  return back
}

/** Deletes the moved parts of logs whose bundles are deleted, the list last. Returns the digests of those logs. */
export async function deleteMovedArchives(
  storage: Storage,
  state: PruneState,
  skipped: SkippedKey[],
): Promise<string[]> {
  const { live, pruned } = state.inventory
  const digests = await unneeded(storage, state, pruned.sums, () => true)
  if (digests.length === 0) return []
  const others = [...pruned.sums].filter((sha256) => !digests.includes(sha256))
  const needed = await filesOf(storage, prunedPrefix, others, skipped)
  const neededLive = await filesOf(storage, '', [...live.sums], skipped)
  if (needed === undefined || neededLive === undefined) return []
  const kept = new Set([...needed, ...neededLive])
  const deleted: string[] = []
  for (const sha256 of digests) {
    const files = await filesOf(storage, prunedPrefix, [sha256], skipped)
    if (files === undefined) continue
    for (const file of files) if (!kept.has(file)) await storage.delete(prunedKey(archiveFileKey(file)))
    await storage.delete(prunedKey(archiveKey(sha256)))
    deleted.push(sha256)
  }
  return deleted
}

/** Deletes the indexes of logs without a live bundle, and the index of the history, which names them. */
export async function dropIndexes(storage: Storage, { bundles }: PruneState): Promise<void> {
  const used = new Set([...bundles.values()].flatMap(({ entry, live }) => (live ? [entry.sourceSha256] : [])))
  const keys: string[] = []
  for await (const { key } of storage.list('archive/', { sizes: false })) keys.push(key)
  for (const key of keys) {
    const log = indexedLog(key)
    if (log !== undefined && !used.has(log)) await storage.delete(key)
  }
}

async function firstDiffering(storage: Storage, keys: readonly string[]): Promise<string | undefined> {
  for (const key of keys) if ((await copyToPruned(storage, key)) === 'differs') return key
  return undefined
}

/** Returns the digests of the files that lists name; undefined if a list is damaged, since its files are unknown. */
async function filesOf(
  storage: Storage,
  prefix: string,
  digests: readonly string[],
  skipped: SkippedKey[],
): Promise<string[] | undefined> {
  const files: string[] = []
  for (const sha256 of digests) {
    const listed = (await listedFiles(storage, sha256, prefix)) ?? []
    if (listed instanceof Error) {
      skipped.push({ key: `${prefix}${archiveKey(sha256)}`, reason: listed.message })
      return undefined
    }
    files.push(...listed.map((file) => file.sha256))
  }
  return files
}
