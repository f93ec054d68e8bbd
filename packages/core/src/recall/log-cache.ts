import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createDeflate, inflate } from 'node:zlib'
import type { ContextBundle } from '../bundle/schema.ts'
import { StorageError } from '../errors.ts'
import { pause, pausing, type Steps } from '../session/pauses.ts'
import { withinGrace } from '../session/within-grace.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeOrFault } from '../storage/stored-json.ts'
import { decodeSums } from '../store/archive/read-archive.ts'
import { archiveFileKey, archiveKey, type LoggedSession, logCacheKey, logWordsKey } from '../store/keys.ts'
import type { SearchEntry } from './search-entry.ts'
import { type WordIndex, wordIndex } from './words.ts'

// Data for searching a log, kept next to its archive: its words, by which logs are chosen, and its events, because
// reading a log of 10 MB again takes over a second. Raise the version if readers, entries or terms change.

const version = 2

export interface ArchivedBundle {
  readonly storage: Storage
  readonly source: ContextBundle['source']
}

export interface LogText {
  readonly title?: string
  readonly entries: readonly SearchEntry[]
}

export interface WordsOf extends LoggedSession {
  readonly format: string
}

export async function readWords(storage: Storage, log: WordsOf): Promise<WordIndex | undefined> {
  const stored = await storage.get(logWordsKey(log))
  if (stored === undefined) return undefined
  const text = Buffer.from(stored.bytes).toString('utf8')
  const head = wordsHead(log)
  return text.startsWith(head) ? wordIndex(text.slice(head.length)) : undefined
}

/** Stores the words of a log, unless the store cannot be written. */
export async function writeWords(storage: Storage, log: WordsOf, words: string): Promise<void> {
  await putCache(storage, logWordsKey(log), Buffer.from(`${wordsHead(log)}${words}`))
}

function wordsHead({ format, sessionId }: WordsOf): string {
  return `tenfold-words ${version} ${JSON.stringify([format, sessionId])}\n`
}

/** Maximum bytes of an unpacked cache, so that a forged one does not fill the memory. */
const mostBytes = 2 ** 29

/** Returns the cached events of a log; undefined if there are none for exactly this archive, or if they are damaged. */
export async function readLogCache(
  cached: ArchivedBundle,
  signal?: AbortSignal,
): Promise<LogText | undefined> {
  const stored = await cached.storage.get(logCacheKey(cached.source))
  if (stored === undefined) return undefined
  const bytes = Buffer.from(stored.bytes)
  const end = bytes.indexOf('\n') + 1
  const packed = bytes.subarray(end)
  const fingerprint = await fingerprintOf(cached)
  if (fingerprint === undefined || bytes.toString('latin1', 0, end) !== headOf(fingerprint, packed))
    return undefined
  try {
    signal?.throwIfAborted()
    // zlib cannot be stopped; after an abort its result is ignored.
    const unpacked = promisify(inflate)(packed, { maxOutputLength: mostBytes })
    return await pausing(decode(await withinGrace(unpacked, signal, 0)), signal)
  } catch {
    signal?.throwIfAborted()
    // A forged cache with a valid checksum: the log is read instead.
    return undefined
  }
}

/** Caches the events of a log, unless its archive was pruned. */
export async function writeLogCache(
  archived: ArchivedBundle,
  text: LogText,
  signal?: AbortSignal,
): Promise<void> {
  const fingerprint = await fingerprintOf(archived)
  if (fingerprint === undefined) return
  const packed = await pipeline(encode(text), createDeflate({ level: 1 }), buffer, { signal })
  const bytes = Buffer.concat([Buffer.from(headOf(fingerprint, packed), 'latin1'), packed])
  await putCache(archived.storage, logCacheKey(archived.source), bytes)
}

async function putCache(storage: Storage, key: string, bytes: Uint8Array): Promise<void> {
  try {
    await storage.put(key, bytes)
  } catch (error) {
    // The search does not depend on the cache.
    if (!(error instanceof StorageError)) throw error
  }
}

function headOf(fingerprint: string, packed: Uint8Array): string {
  return `tenfold-recall ${fingerprint} ${sha256Of(packed).toString('hex')}\n`
}

/**
 * Returns a fingerprint of the archive's stored bytes, so that a cache never hides that they are missing, damaged or
 * redacted.
 */
async function fingerprintOf({ storage, source }: ArchivedBundle): Promise<string | undefined> {
  const key = archiveKey(source.sha256)
  const sums = await storage.get(key)
  if (sums === undefined) return undefined
  const files = decodeOrFault(() => decodeSums(key, sums.bytes, source.sha256))
  if (files instanceof Error) return undefined
  const about = JSON.stringify([version, source.format, source.sessionId, source.events])
  const hash = createHash('sha256')
    .update(sha256Of(Buffer.from(about)))
    .update(sha256Of(sums.bytes))
  for (const file of files) {
    const stored = await storage.get(archiveFileKey(file.sha256))
    if (stored === undefined) return undefined
    hash.update(sha256Of(stored.bytes))
  }
  return hash.digest('hex')
}

function sha256Of(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

async function* encode({ title, entries }: LogText): AsyncGenerator<string> {
  yield JSON.stringify({ title })
  for (let at = 0; at < entries.length; at += 100) {
    const some = entries.slice(at, at + 100).map((entry) => `\n${JSON.stringify(entry)}`)
    yield some.join('')
    await pause()
  }
}

function* decode(bytes: Buffer): Steps<LogText> {
  const lineAt = (start: number, end: number) => JSON.parse(bytes.toString('utf8', start, end))
  const endOf = (start: number) => {
    const end = bytes.indexOf('\n', start)
    return end === -1 ? bytes.length : end
  }
  const first = endOf(0)
  const { title } = lineAt(0, first) as { readonly title?: string }
  const entries: SearchEntry[] = []
  for (let start = first + 1; start <= bytes.length; ) {
    const end = endOf(start)
    entries.push(lineAt(start, end) as SearchEntry)
    start = end + 1
    yield
  }
  return { ...(title !== undefined && { title }), entries }
}
