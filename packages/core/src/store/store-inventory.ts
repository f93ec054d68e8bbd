import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { indexedLog, leasePrefix, ledgerPrefix, prunedPrefix } from './keys.ts'
import { bundleTracks } from './stored-bundle.ts'
import { type Place, parsePlace } from './track-places.ts'

export type StorePart = ReturnType<typeof emptyPart>

export interface StoreInventory {
  readonly live: StorePart
  readonly pruned: StorePart
  /** Keys of objects other than bundles, such as checkpoints and batch jobs. */
  readonly others: readonly string[]
}

export async function takeInventory(storage: Storage): Promise<StoreInventory> {
  const live = emptyPart('')
  const pruned = emptyPart(prunedPrefix)
  const others: string[] = []
  for await (const { key } of storage.list('', { sizes: false })) {
    // The ledger refers only to bundles, so prune and verify skip its many small files.
    if (key.startsWith(ledgerPrefix) || key.startsWith(leasePrefix) || indexedLog(key) !== undefined) continue
    if (key.startsWith(prunedPrefix)) sortKey(pruned, key.slice(prunedPrefix.length), others)
    else sortKey(live, key, others)
  }
  return { live, pruned, others }
}

function emptyPart(prefix: string) {
  return {
    /** Prefix of the keys: empty, or `pruned/`. */
    prefix,
    /** Ids with JSON, and ids with Markdown. */
    bundles: new Set<string>(),
    markdown: new Set<string>(),
    /** Places of entries; those of the pruned part have their keys from before the prune. */
    entries: [] as Place[],
    /** Tracks with a LATEST.json. */
    latest: new Set<string>(),
    /** Digests of logs that have a list of files, and digests of archived files. */
    sums: new Set<string>(),
    files: new Set<string>(),
    /** Keys among bundles, tracks and archives that this version never writes. */
    strays: [] as string[],
  }
}

function sortKey(part: StorePart, key: string, others: string[]): void {
  const [, id, form] = /^bundles\/([^/]+)\.(json|md)$/.exec(key) ?? []
  const [, track, pointer] = /^tracks\/([^/]+)\/LATEST\.(json|md)$/.exec(key) ?? []
  const sums = /^archive\/([0-9a-f]{64})\.sums$/.exec(key)?.[1]
  const [, folder, file] = /^archive\/([0-9a-f]{2})\/([0-9a-f]{64})\.br$/.exec(key) ?? []
  const place = parsePlace(bundleTracks, key)
  if (id !== undefined) (form === 'json' ? part.bundles : part.markdown).add(id)
  else if (place !== undefined) part.entries.push(place)
  else if (track !== undefined) {
    if (pointer === 'json') part.latest.add(track)
  } else if (sums !== undefined) part.sums.add(sums)
  else if (file !== undefined && folder === file.slice(0, 2)) part.files.add(file)
  else if (/^(?:bundles|tracks|archive)\//.test(key)) part.strays.push(`${part.prefix}${key}`)
  else others.push(`${part.prefix}${key}`)
}

const parallelReads = 32

/**
 * Returns all digests (64 hex digits) in the JSON of the given keys: other objects, such as batch jobs, can refer to
 * archived logs too.
 */
export async function readMentions(storage: Storage, keys: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  const json = keys.filter((key) => key.endsWith('.json'))
  await inParallel(json, parallelReads, async (key) => {
    const stored = await storage.get(key)
    const text = stored === undefined ? '' : Buffer.from(stored.bytes).toString('latin1')
    for (const [digest] of text.matchAll(/\b[0-9a-f]{64}\b/g)) found.add(digest)
  })
  return found
}
