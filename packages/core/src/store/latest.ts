import { z } from 'zod'
import { bundleToMarkdown } from '../bundle/markdown.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { StorageError, TenfoldError } from '../errors.ts'
import { pointerCondition } from '../storage/pointer-condition.ts'
import { isConflict } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, decodeOrFault, encodeJson } from '../storage/stored-json.ts'
import { bundleMarkdownKey, historyKey, latestKey, latestMarkdownKey } from './bundle-keys.ts'
import { type HistoryEntry, historyEntrySchema } from './history-entry.ts'
import { verifyBundle } from './stored-bundle.ts'
import { listSequences, readEntry } from './track-history.ts'

const { id, kind, key, sha256, size, sequence, createdAt, sessionId, sourceSha256 } = historyEntrySchema.shape
const latestSchema = z.object({
  schemaVersion: z.literal(1),
  ...{ id, kind, key, sha256, size, sequence, createdAt, sessionId, sourceSha256 },
})

/** Content of `tracks/<track>/LATEST.json`: a cache of the last history entry, never the commit point. */
export type Latest = z.infer<typeof latestSchema>

/** The newest bundle of a track. `repaired` says what was wrong if LATEST could not be trusted. */
export interface LatestBundle {
  readonly bundle: ContextBundle
  readonly entry: HistoryEntry
  readonly repaired?: string
}

const maxAttempts = 20
const maxMarkdownAttempts = 5

/**
 * Returns the pointer of a track if it is intact and names an entry of the history, otherwise a text that says what is
 * wrong. A later entry may exist.
 */
export async function readLatest(storage: Storage, track: string): Promise<Latest | string> {
  const stored = await getCache(storage, latestKey(track))
  if (typeof stored === 'string') return stored
  return stored === undefined
    ? `LATEST of track ${track} is missing`
    : await checkLatest(storage, track, stored.bytes)
}

/**
 * Returns an object that is rebuilt from the history, or a text that says why it cannot be read: a link is in its
 * place. Throws errors that the next try may not meet.
 */
export async function getCache(
  storage: Storage,
  key: string,
): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | string | undefined> {
  try {
    return await storage.get(key)
  } catch (error) {
    if (!(error instanceof StorageError) || error.retryable) throw error
    return error.message
  }
}

async function checkLatest(storage: Storage, track: string, bytes: Uint8Array): Promise<Latest | string> {
  const latest = decodeOrFault(() => decodeJson(latestKey(track), bytes, latestSchema))
  if (latest instanceof Error) return latest.message
  const entry = await readEntry(storage, { track, sequence: latest.sequence })
  if (entry instanceof Error) return entry.message
  if (entry?.id === latest.id && entry.sha256 === latest.sha256 && entry.size === latest.size) return latest
  return `LATEST of track ${track} names entry ${latest.sequence}, which ${entry ? 'is another bundle' : 'does not exist'}`
}

/**
 * Points LATEST at an entry unless it names the same or a later one, then renews LATEST.md. Returns what went wrong, if
 * anything: LATEST then lags until the next save or reader of the track. `newestWhole` says that any later entries in
 * the history are damaged.
 */
export async function advanceLatest(
  storage: Storage,
  entry: HistoryEntry,
  markdown: Uint8Array,
  options: { readonly newestWhole?: boolean } = {},
): Promise<string | undefined> {
  try {
    const moved = await moveLatest(storage, entry, options.newestWhole ?? false)
    if (moved === 'contended') return `LATEST of track ${entry.track} was not moved: too many writers at once`
    if (moved === 'moved') await writeMarkdown(storage, entry, markdown)
    return undefined
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    return `LATEST of track ${entry.track} was not moved: ${error.message}`
  }
}

async function moveLatest(
  storage: Storage,
  entry: HistoryEntry,
  newestWhole: boolean,
): Promise<'moved' | 'later' | 'contended'> {
  const latestKeyOfTrack = latestKey(entry.track)
  const bytes = encodeJson(latestSchema.parse(entry))
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const stored = await storage.get(latestKeyOfTrack)
    const held = stored && (await checkLatest(storage, entry.track, stored.bytes))
    if (typeof held === 'object' && held.sequence > entry.sequence) return 'later'
    if (typeof held === 'object' && held.sequence === entry.sequence) return 'moved'
    // There is no pointer to compare with: a slow writer must not set one that a gap in the history would hide as
    // stale.
    if (typeof held !== 'object' && !newestWhole && !(await isLast(storage, entry))) return 'later'
    const condition = await pointerCondition(storage, stored)
    try {
      await storage.put(latestKeyOfTrack, bytes, condition)
      // Without a condition a slower writer may have put an older entry in the meantime: check again.
      if (condition !== undefined) return 'moved'
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
  return 'contended'
}

async function isLast(storage: Storage, entry: HistoryEntry): Promise<boolean> {
  return (await listSequences(storage, entry.track)).at(-1) === entry.sequence
}

/** A slower writer that comes last sees, after its put, that the pointer moved on, and puts the later text. */
async function writeMarkdown(storage: Storage, entry: HistoryEntry, markdown: Uint8Array): Promise<void> {
  let written = entry.sequence
  let bytes: Uint8Array | undefined = markdown
  for (let attempt = 0; attempt < maxMarkdownAttempts && bytes !== undefined; attempt++) {
    await storage.put(latestMarkdownKey(entry.track), bytes)
    const latest = await readLatest(storage, entry.track)
    if (typeof latest === 'string' || latest.sequence <= written) return
    written = latest.sequence
    bytes = (await storage.get(bundleMarkdownKey(latest.id)))?.bytes
  }
}

/**
 * Returns the newest intact bundle of a track, or undefined if the track has no history. Trusts LATEST only if it
 * agrees with the history and the bundle's bytes; otherwise searches the history from its end, says so in `repaired`,
 * and updates LATEST. Throws {@link StorageError} if the track has saves but none of them is intact.
 */
export async function findLatest(storage: Storage, track: string): Promise<LatestBundle | undefined> {
  const latest = await readLatest(storage, track)
  const faults: string[] = []
  if (typeof latest === 'string') faults.push(latest)
  else if ((await storage.get(historyKey(track, latest.sequence + 1))) !== undefined)
    faults.push(`LATEST of track ${track} stopped at entry ${latest.sequence}`)
  else {
    const entry = await readEntry(storage, { track, sequence: latest.sequence })
    if (entry !== undefined && !(entry instanceof Error)) {
      const bundle = await verifyBundle(storage, entry)
      if (typeof bundle !== 'string') return { bundle, entry }
      faults.push(bundle)
    }
  }
  const found = await searchBack(storage, track, faults)
  if (typeof found === 'string') throw new StorageError(latestKey(track), found)
  return found
}

/** Searches the history for the newest intact bundle and moves LATEST to it, or says why there is none. */
export async function rebuildLatest(storage: Storage, track: string): Promise<LatestBundle | string> {
  return (await searchBack(storage, track, [])) ?? `track ${track} has no history`
}

async function searchBack(
  storage: Storage,
  track: string,
  faults: string[],
): Promise<LatestBundle | string | undefined> {
  const sequences = await listSequences(storage, track)
  if (sequences.length === 0) return undefined
  for (const sequence of sequences.reverse()) {
    const entry = await readEntry(storage, { track, sequence })
    const bundle = entry instanceof Error ? entry.message : entry && (await verifyBundle(storage, entry))
    if (typeof bundle === 'string' && !faults.includes(bundle)) faults.push(bundle)
    if (typeof bundle !== 'object' || entry === undefined || entry instanceof Error) continue
    const markdown = new TextEncoder().encode(bundleToMarkdown(bundle))
    const failure = await advanceLatest(storage, entry, markdown, { newestWhole: true })
    const repaired = [...faults, ...(failure === undefined ? [] : [failure])].join('; ')
    return { bundle, entry, repaired: `${repaired}; took entry ${sequence}, the newest intact one` }
  }
  return `no bundle of track ${track} is intact: ${faults.slice(0, 5).join('; ')}`
}
