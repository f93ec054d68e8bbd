import { bundleToMarkdown } from '../bundle/markdown.ts'
import { parsingSteps } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { pausing } from '../session/pauses.ts'
import type { Storage } from '../storage/storage.ts'
import { bundleKey, bundleMarkdownKey } from './keys.ts'
import { bundleTracks, renewLatest } from './stored-bundle.ts'
import { assertTrack, saveToTrack } from './track-store.ts'

/** A durable save. */
export interface SavedBundle {
  /** Id of the bundle; ids sort by time. */
  readonly id: string
  /** Key of the bundle as JSON. */
  readonly key: string
  /** Key of the bundle as Markdown. */
  readonly markdownKey: string
  /** Track on which the bundle was saved. */
  readonly track: string
  /** Why LATEST was not updated, if it was not; readers find the bundle anyway. */
  readonly warning?: string
}

/** Saves a bundle, its Markdown, then the entry that commits it to its track, then LATEST. */
export async function saveToStore(
  storage: Storage,
  bundle: ContextBundle,
  signal: AbortSignal | undefined,
): Promise<SavedBundle> {
  const value = await pausing(parsingSteps(bundle), signal)
  const { id, track } = value
  assertTrack(bundleTracks, track)
  await saveToTrack(storage, bundleTracks, { value, markdown: bundleToMarkdown(value), signal })
  // The save is durable: a later failure is only a warning.
  const warning = await renewLatest(storage, track)
  const keys = { key: bundleKey(id), markdownKey: bundleMarkdownKey(id) }
  return { id, ...keys, track, ...(warning !== undefined && { warning }) }
}
