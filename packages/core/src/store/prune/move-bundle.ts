import type { Storage } from '../../storage/storage.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { bundleKey, bundleMarkdownKey, historyKey } from '../bundle-keys.ts'
import type { HistoryEntry } from '../history-entry.ts'
import { prunedKey } from '../pruned-keys.ts'
import { bringBack, copyToPruned } from './move-object.ts'
import { prunedEntryKey, type Tombstone } from './pruned-history.ts'

/** A bundle with the entries that name it: those in the history, and those that an earlier prune moved. */
export interface RetainedBundle {
  readonly id: string
  readonly live: readonly HistoryEntry[]
  readonly pruned: readonly HistoryEntry[]
}

/**
 * Moves a bundle, its Markdown and its history entries below `pruned/`: all copies first, the entries last, so that the
 * entry of an interrupted move is found again. Returns why the bundle was left unchanged, if it was.
 */
export async function moveBundle(
  storage: Storage,
  { id, live }: RetainedBundle,
): Promise<string | undefined> {
  const [json, markdown] = [bundleKey(id), bundleMarkdownKey(id)]
  const entries = live.map(({ track, sequence }) => historyKey(track, sequence))
  const copied = await copyToPruned(storage, json)
  if (copied === 'differs') return `${prunedKey(json)} holds other bytes`
  if (copied === 'absent' && (await storage.get(prunedKey(json))) === undefined) return `${json} is missing`
  await copyToPruned(storage, markdown)
  for (const key of entries)
    if ((await copyToPruned(storage, key)) === 'differs') return `${prunedKey(key)} holds other bytes`
  for (const key of [markdown, json, ...entries]) await storage.delete(key)
  return undefined
}

/** Copies a moved bundle back, for an entry that was saved in the meantime; returns true if the bundle exists then. */
export async function bringBundleBack(storage: Storage, id: string): Promise<boolean> {
  await bringBack(storage, bundleMarkdownKey(id))
  return await bringBack(storage, bundleKey(id))
}

/** Deletes a bundle that was moved. A tombstone of its entries remains, which is put last. */
export async function deleteMoved(
  storage: Storage,
  { id, live, pruned }: RetainedBundle,
  now: Date,
): Promise<void> {
  await storage.delete(prunedKey(bundleMarkdownKey(id)))
  await storage.delete(prunedKey(bundleKey(id)))
  for (const { sequence, track, sourceSha256 } of [...live, ...pruned]) {
    const deletedAt = now.toISOString()
    const tombstone: Tombstone = { schemaVersion: 1, sequence, track, id, sourceSha256, deletedAt }
    await storage.put(prunedEntryKey({ track, sequence }), encodeJson(tombstone))
  }
}
