import { bundleFromMarkdown, bundleToMarkdown } from '../../bundle/markdown.ts'
import type { ContextBundle } from '../../bundle/schema.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { putIfAbsent } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault, decodeText } from '../../storage/stored-json.ts'
import { bundleKey, bundleMarkdownKey } from '../bundle-keys.ts'
import { type HistoryEntry, historyEntryOf } from '../history-entry.ts'
import type { StorePart } from '../store-inventory.ts'
import { decodeBundle } from '../stored-bundle.ts'
import type { FindingSink } from './store-finding.ts'

const parallelReads = 8

export interface CheckedBundle {
  /** The expected entry. */
  readonly entry: HistoryEntry
  readonly archived: boolean
}

/** Checks each bundle of a part and its Markdown; returns intact ones by id, and undefined for the others. */
export async function verifyBundles(
  storage: Storage,
  part: StorePart,
  sink: FindingSink,
  onDone: () => void,
): Promise<Map<string, CheckedBundle | undefined>> {
  const checked = new Map<string, CheckedBundle | undefined>()
  await inParallel([...part.bundles], parallelReads, async (id) => {
    const key = `${part.prefix}${bundleKey(id)}`
    const stored = await storage.get(key)
    onDone()
    // Pruned or deleted since it was listed.
    if (stored === undefined) return
    const bundle = decodeOrFault(() => decodeBundle(id, stored.bytes))
    if (bundle instanceof Error) {
      checked.set(id, undefined)
      const message = part.prefix === '' ? bundle.message : `${part.prefix}: ${bundle.message}`
      return await sink.add('fault', 'bundle-damaged', key, message)
    }
    checked.set(id, { entry: historyEntryOf(bundle, stored.bytes), archived: bundle.source.archived })
    await verifyMarkdown(storage, part, bundle, sink)
  })
  for (const id of part.markdown) if (!part.bundles.has(id)) await verifyLoneMarkdown(storage, part, id, sink)
  return checked
}

async function verifyMarkdown(
  storage: Storage,
  part: StorePart,
  bundle: ContextBundle,
  sink: FindingSink,
): Promise<void> {
  const key = `${part.prefix}${bundleMarkdownKey(bundle.id)}`
  const stored = await storage.get(key)
  if (stored === undefined)
    return await sink.add('warning', 'markdown-missing', key, `${key} is missing`, () =>
      putIfAbsent(storage, key, new TextEncoder().encode(bundleToMarkdown(bundle))),
    )
  const fault = markdownFault(key, stored.bytes, bundle)
  if (fault !== undefined)
    await sink.add('fault', 'markdown-differs', key, `${key} ${fault}; delete it, a repair writes it again`)
}

/** Says how Markdown differs from the given bundle; words that another version chose are not a fault. */
function markdownFault(key: string, bytes: Uint8Array, bundle: ContextBundle): string | undefined {
  const text = decodeOrFault(() => decodeText(key, bytes))
  if (text instanceof Error) return 'is not UTF-8'
  const expected = bundleToMarkdown(bundle)
  if (text === expected) return undefined
  const read = decodeOrFault(() => bundleFromMarkdown(text))
  if (read instanceof Error) return `does not read as a bundle (${read.message})`
  return bundleToMarkdown(read) === expected ? undefined : 'does not match the JSON next to it'
}

async function verifyLoneMarkdown(
  storage: Storage,
  part: StorePart,
  id: string,
  sink: FindingSink,
): Promise<void> {
  const key = `${part.prefix}${bundleMarkdownKey(id)}`
  // JSON is listed before Markdown and saved before it; a prune in between deletes it first.
  const isGone = (await storage.get(key)) === undefined
  if (!isGone && (await storage.get(`${part.prefix}${bundleKey(id)}`)) === undefined)
    await sink.add('warning', 'markdown-without-bundle', key, `${key} has no bundle next to it`)
}
