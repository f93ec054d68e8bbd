import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { StorageError, TenfoldError } from '../errors.ts'
import { listNumbers, readNumbered } from '../storage/numbered-log.ts'
import { pointerCondition } from '../storage/pointer-condition.ts'
import { isConflict } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, decodeOrFault, encodeJson } from '../storage/stored-json.ts'
import { getCache } from '../store/latest.ts'
import { checkpointLatestKey, checkpointLatestMarkdownKey, trackOfLogKey } from './checkpoint-keys.ts'
import { type CheckpointEntry, checkpointEntrySchema, checkpointLog } from './checkpoint-log.ts'
import { pointerToMarkdown } from './markdown.ts'

const pointerSchema = z.object({
  schemaVersion: z.literal(1),
  /** The track that is used if none is named. */
  current: checkpointEntrySchema.shape.track.optional(),
  /** The newest checkpoint of every track, sorted by track name. */
  tracks: z.array(checkpointEntrySchema),
})

/** Content of `checkpoints/LATEST.json`: a cache of the last entry of every track, never the commit point. */
export type CheckpointPointer = z.infer<typeof pointerSchema>

const maxAttempts = 100
const attemptsWithoutWait = 4
const maxMarkdownAttempts = 5

/** Returns the pointer, or a text that says what is wrong with it. Its entries may lag behind the history. */
export async function readPointer(storage: Storage): Promise<CheckpointPointer | string> {
  const stored = await getCache(storage, checkpointLatestKey)
  if (typeof stored === 'string') return stored
  return stored === undefined ? `${checkpointLatestKey} is missing` : decodePointer(stored.bytes)
}

function decodePointer(bytes: Uint8Array): CheckpointPointer | string {
  const pointer = decodeOrFault(() => decodeJson(checkpointLatestKey, bytes, pointerSchema))
  return pointer instanceof Error ? pointer.message : pointer
}

/** Says what is wrong with a pointer's entry of a track; undefined if it is the last one of the history. */
export async function entryFault(storage: Storage, held: CheckpointEntry): Promise<string | undefined> {
  const log = checkpointLog(held.track)
  const [entry, next] = await Promise.all([
    readNumbered(storage, log, held.sequence),
    readNumbered(storage, log, held.sequence + 1),
  ])
  const at = `LATEST of track ${held.track}`
  if (entry instanceof Error) return entry.message
  if (entry === undefined) return `${at} names checkpoint ${held.sequence}, which does not exist`
  if (entry.id !== held.id || entry.sha256 !== held.sha256)
    return `${at} names checkpoint ${held.sequence}, which is another one`
  return next === undefined ? undefined : `${at} stopped at checkpoint ${held.sequence}`
}

/** Rebuilds the pointer from the history of all tracks. */
export async function rebuildPointer(storage: Storage): Promise<CheckpointPointer> {
  const tracks = await checkpointTracks(storage)
  const found = await Promise.all(tracks.map((track) => newestEntry(storage, track)))
  const entries = found.filter((entry) => entry !== undefined)
  const newestFirst = entries.toSorted((a, b) => (a.id < b.id ? 1 : -1))
  const current = newestFirst.find((entry) => entry.current !== undefined)?.current
  return { schemaVersion: 1, ...(current !== undefined && { current }), tracks: entries }
}

/** Returns the names of all tracks with checkpoints, sorted. */
export async function checkpointTracks(storage: Storage): Promise<string[]> {
  const tracks = new Set<string>()
  for await (const { key } of storage.list('checkpoints/')) {
    const track = trackOfLogKey(key)
    if (track !== undefined) tracks.add(track)
  }
  return [...tracks].sort()
}

async function newestEntry(storage: Storage, track: string): Promise<CheckpointEntry | undefined> {
  const log = checkpointLog(track)
  for (const sequence of (await listNumbers(storage, log.prefix)).reverse()) {
    const entry = await readNumbered(storage, log, sequence)
    if (entry !== undefined && !(entry instanceof Error)) return entry
  }
  return undefined
}

/**
 * Points LATEST at an entry unless it names a later one of that track, and makes its track the current one if
 * `setCurrent` says so. Returns what went wrong, if anything: LATEST then lags until the next save or reader.
 */
export async function advancePointer(
  storage: Storage,
  entry: CheckpointEntry,
  setCurrent: boolean,
): Promise<string | undefined> {
  return await renew(storage, async (held) => {
    const other = held.tracks.find(({ track }) => track === entry.track)
    const later = other !== undefined && other.sequence > entry.sequence && (await exists(storage, other))
    const current = setCurrent ? entry.track : held.current
    const tracks = later ? held.tracks : withEntry(held.tracks, entry)
    return { schemaVersion: 1, ...(current !== undefined && { current }), tracks }
  })
}

/** Replaces the pointer by one made from the history. Returns what went wrong, if anything. */
export async function repairPointer(storage: Storage): Promise<string | undefined> {
  return await renew(storage, () => rebuildPointer(storage))
}

async function exists(storage: Storage, held: CheckpointEntry): Promise<boolean> {
  const entry = await readNumbered(storage, checkpointLog(held.track), held.sequence)
  return entry !== undefined && !(entry instanceof Error) && entry.id === held.id
}

function withEntry(tracks: readonly CheckpointEntry[], entry: CheckpointEntry): CheckpointEntry[] {
  const others = tracks.filter(({ track }) => track !== entry.track)
  return [...others, entry].sort((a, b) => (a.track < b.track ? -1 : 1))
}

async function renew(
  storage: Storage,
  change: (held: CheckpointPointer) => Promise<CheckpointPointer>,
): Promise<string | undefined> {
  try {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const stored = await storage.get(checkpointLatestKey)
      const held = stored === undefined ? 'missing' : decodePointer(stored.bytes)
      const pointer = await change(typeof held === 'string' ? await rebuildPointer(storage) : held)
      const bytes = encodeJson(pointerSchema.parse(pointer))
      if (stored !== undefined && Buffer.compare(stored.bytes, bytes) === 0) return undefined
      if (await swap(storage, bytes, stored)) {
        await writeMarkdown(storage, pointer)
        return undefined
      }
      // Many writers at once: those that lost come back at different moments.
      if (attempt > attemptsWithoutWait) await wait(Math.random() * 5 * attempt)
    }
    throw new StorageError(checkpointLatestKey, 'too many writers at once')
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    return `${checkpointLatestKey} was not renewed: ${error.message}`
  }
}

async function swap(
  storage: Storage,
  bytes: Uint8Array,
  held: { readonly etag: string } | undefined,
): Promise<boolean> {
  const condition = await pointerCondition(storage, held)
  try {
    await storage.put(checkpointLatestKey, bytes, condition)
  } catch (error) {
    if (!isConflict(error)) throw error
    return false
  }
  if (condition !== undefined) return true
  const now = await storage.get(checkpointLatestKey)
  return now !== undefined && Buffer.compare(now.bytes, bytes) === 0
}

/** A slower writer that comes last sees, after its put, that the pointer moved on, and puts the later text. */
async function writeMarkdown(storage: Storage, pointer: CheckpointPointer): Promise<void> {
  let text = pointerToMarkdown(pointer)
  for (let attempt = 0; attempt < maxMarkdownAttempts; attempt++) {
    await storage.put(checkpointLatestMarkdownKey, new TextEncoder().encode(text))
    const held = await readPointer(storage)
    const now = typeof held === 'string' ? text : pointerToMarkdown(held)
    if (now === text) return
    text = now
  }
}
