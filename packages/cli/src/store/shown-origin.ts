import type { Storage } from '@tenfold/core'
import { bundleKey, checkpointKey, cleanText } from '@tenfold/core/internal'
import { checkpointStore } from '@tenfold/core/store'
import type { Terminal } from '../terminal/terminal.ts'
import { addedOf, foreignStoreLine } from './store-origin.ts'

const maxIds = 200

/** A line about the origin of the bundles and checkpoints whose ids occur in a text. */
export async function shownOrigin(store: { readonly storage: Storage }, place: string, text: string) {
  const ids = [...new Set(text.match(/\b\d{8}T\d{9}Z-\d{9}\b/g))].slice(0, maxIds)
  const foreign = foreignStoreLine(place)
  if (foreign !== undefined || ids.length === 0) return foreign
  const tracks = await checkpointStore(store.storage).tracks()
  return await addedOf(
    store,
    place,
    ids.flatMap((id) => [
      [bundleKey(id), `bundle ${id}`] as const,
      ...tracks.map((track) => [checkpointKey(track, id), `checkpoint ${id}`] as const),
    ]),
  )
}

/** Warns on stderr, since a script may read stdout. */
export async function warnOfOrigin(terminal: Terminal, ...shown: Parameters<typeof shownOrigin>) {
  const line = await shownOrigin(...shown)
  if (line !== undefined) terminal.warn(`warning: ${cleanText(line)}`)
}
