import { bundleToMarkdown } from '../../bundle/markdown.ts'
import type { ContextBundle } from '../../bundle/schema.ts'
import type { Storage } from '../../storage/storage.ts'
import { bundleMarkdownKey, latestKey, latestMarkdownKey } from '../bundle-keys.ts'
import { readLatest, rebuildLatest } from '../latest.ts'
import type { StoreInventory } from '../store-inventory.ts'
import { verifyBundle } from '../stored-bundle.ts'
import { listSequences, readEntry } from '../track-history.ts'
import type { FindingSink, StoreFinding } from './store-finding.ts'

/** Checks that the LATEST of each track resolves to its newest intact bundle. */
export async function verifyLatest(
  storage: Storage,
  { live }: StoreInventory,
  sink: FindingSink,
): Promise<string[]> {
  const tracks = [...new Set([...live.entries.map(({ track }) => track), ...live.latest])].sort()
  for (const track of tracks) {
    const fault = await latestFault(storage, track)
    if (fault !== undefined)
      await sink.add(fault.level, fault.code, latestKey(track), fault.message, async () => {
        await rebuildLatest(storage, track)
        return (await latestFault(storage, track)) === undefined
      })
    await verifyLatestMarkdown(storage, track, sink)
  }
  return tracks
}

type Fault = Pick<StoreFinding, 'level' | 'code' | 'message'>

async function latestFault(storage: Storage, track: string): Promise<Fault | undefined> {
  const broken = (message: string): Fault => ({ level: 'fault', code: 'latest-broken', message })
  const latest = await readLatest(storage, track)
  if (typeof latest === 'string') return broken(latest)
  const bundle = await pointedAt(storage, track)
  if (typeof bundle === 'string')
    return broken(`LATEST of track ${track} names a bundle that is lost: ${bundle}`)
  for (const sequence of (await listSequences(storage, track)).reverse()) {
    if (sequence <= latest.sequence) return undefined
    const entry = await readEntry(storage, { track, sequence })
    if (entry === undefined || entry instanceof Error) continue
    if (typeof (await verifyBundle(storage, entry)) === 'string') continue
    const message = `LATEST of track ${track} stopped at entry ${latest.sequence}; the newest is ${sequence}`
    return { level: 'warning', code: 'latest-behind', message }
  }
  return undefined
}

/** The bundle that LATEST of a track names, or what is wrong with it; undefined if LATEST names none. */
async function pointedAt(storage: Storage, track: string): Promise<ContextBundle | string | undefined> {
  const latest = await readLatest(storage, track)
  if (typeof latest === 'string') return undefined
  const entry = await readEntry(storage, { track, sequence: latest.sequence })
  return entry === undefined || entry instanceof Error ? undefined : await verifyBundle(storage, entry)
}

async function verifyLatestMarkdown(storage: Storage, track: string, sink: FindingSink): Promise<void> {
  const bundle = await pointedAt(storage, track)
  if (bundle === undefined || typeof bundle === 'string') return
  const key = latestMarkdownKey(track)
  const expected =
    (await storage.get(bundleMarkdownKey(bundle.id)))?.bytes ??
    new TextEncoder().encode(bundleToMarkdown(bundle))
  const stored = await storage.get(key)
  if (stored !== undefined && Buffer.compare(stored.bytes, expected) === 0) return
  const fault = stored === undefined ? 'is missing' : 'is not the Markdown of the newest bundle'
  await sink.add('warning', 'latest-markdown', key, `${key} ${fault}`, async () => {
    await storage.put(key, expected)
    return true
  })
}
