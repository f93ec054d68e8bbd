import type { Storage } from '../storage/storage.ts'
import { parseHistoryKey } from './bundle-keys.ts'
import { prunedPrefix } from './pruned-keys.ts'
import type { EntryPlace } from './track-history.ts'

/** Keys of a store by what they are, of the live part or of the pruned one. */
export interface StorePart {
  /** Put before a key: empty, or `pruned/`. */
  readonly prefix: string
  /** Ids that have JSON, and ids that have Markdown. */
  readonly bundles: Set<string>
  readonly markdown: Set<string>
  readonly entries: EntryPlace[]
  /** Tracks that have a LATEST.json. */
  readonly latest: Set<string>
  /** Digests of logs whose list of files is there, and of archived files. */
  readonly sums: Set<string>
  readonly files: Set<string>
  /** Keys that nothing of this version writes, among bundles, tracks and archives. */
  readonly strays: string[]
}

export interface StoreInventory {
  readonly live: StorePart
  readonly pruned: StorePart
  /** Keys of what is not about bundles: checkpoints, batch jobs. */
  readonly others: readonly string[]
}

/** Lists all keys of a store. */
export async function takeInventory(storage: Storage): Promise<StoreInventory> {
  const live = emptyPart('')
  const pruned = emptyPart(prunedPrefix)
  const others: string[] = []
  for await (const { key } of storage.list('')) {
    if (key.startsWith(prunedPrefix)) sortKey(pruned, key.slice(prunedPrefix.length), others)
    else sortKey(live, key, others)
  }
  return { live, pruned, others }
}

function emptyPart(prefix: string): StorePart {
  return {
    prefix,
    bundles: new Set(),
    markdown: new Set(),
    entries: [],
    latest: new Set(),
    sums: new Set(),
    files: new Set(),
    strays: [],
  }
}

function sortKey(part: StorePart, key: string, others: string[]): void {
  const [, id, form] = /^bundles\/([^/]+)\.(json|md)$/.exec(key) ?? []
  const [, track, pointer] = /^tracks\/([^/]+)\/LATEST\.(json|md)$/.exec(key) ?? []
  const sums = /^archive\/([0-9a-f]{64})\.sums$/.exec(key)?.[1]
  const [, folder, file] = /^archive\/([0-9a-f]{2})\/([0-9a-f]{64})\.br$/.exec(key) ?? []
  const place = parseHistoryKey(key)
  if (id !== undefined) (form === 'json' ? part.bundles : part.markdown).add(id)
  else if (place !== undefined) part.entries.push(place)
  else if (track !== undefined) {
    if (pointer === 'json') part.latest.add(track)
  } else if (sums !== undefined) part.sums.add(sums)
  else if (file !== undefined && folder === file.slice(0, 2)) part.files.add(file)
  else if (/^(?:bundles|tracks|archive)\//.test(key)) part.strays.push(`${part.prefix}${key}`)
  else others.push(`${part.prefix}${key}`)
}
