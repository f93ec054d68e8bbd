import type { Storage } from '../../storage/storage.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { bundleKey, bundleMarkdownKey, historyKey } from '../bundle-keys.ts'
import type { HistoryEntry } from '../history-entry.ts'
import { prunedKey } from '../pruned-keys.ts'
import { bringBack, copyToPruned } from './move-object.ts'
import { tombstoneOf } from './pruned-history.ts'

/** A bundle by its entry, which is on its track (`live`), below `pruned/`, or, after an interruption, in both. */
export interface RetainedBundle {
  readonly entry: HistoryEntry
  readonly live: boolean
}

/**
 * Moves a bundle, its Markdown and its entry below `pruned/`: all copies first, the entry last, so that an interrupted
 * move is found again. Returns why the bundle was left unchanged, if it was.
 */
export async function moveBundle(storage: Storage, entry: HistoryEntry): Promise<string | undefined> {
  const json = bundleKey(entry.id)
  const markdown = bundleMarkdownKey(entry.id)
  const place = historyKey(entry.track, entry.id)
  const copied = await copyToPruned(storage, json)
  if (copied === 'differs') return `${prunedKey(json)} holds other bytes`
  if (copied === 'absent' && (await storage.get(prunedKey(json))) === undefined) return `${json} is missing`
  await copyToPruned(storage, markdown)
  if ((await copyToPruned(storage, place)) === 'differs') return `${prunedKey(place)} holds other bytes`
  for (const key of [markdown, json, place]) await storage.delete(key)
  return undefined
}

/** Copies a moved bundle back, for an entry that was saved in the meantime; returns true if the bundle exists then. */
export async function bringBundleBack(storage: Storage, id: string): Promise<boolean> {
  await bringBack(storage, bundleMarkdownKey(id))
  return await bringBack(storage, bundleKey(id))
}

/** Deletes a bundle that was moved. A tombstone remains in the place of its entry, which is put last. */
export async function deleteMoved(storage: Storage, entry: HistoryEntry): Promise<void> {
  await storage.delete(prunedKey(bundleMarkdownKey(entry.id)))
  await storage.delete(prunedKey(bundleKey(entry.id)))
  await storage.put(prunedKey(historyKey(entry.track, entry.id)), encodeJson(tombstoneOf(entry)))
}
