import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { StorageError } from '../errors.ts'
import { decodeOrFault } from '../storage/stored-json.ts'
import { archiveFileKey, archiveIndexKey, archiveKey } from '../store/archive/archive-keys.ts'
import { decodeSums } from '../store/archive/read-archive.ts'
import type { ArchivedBundle, LogText } from './log-text.ts'
import type { Postings } from './postings.ts'

// What a search needs of a log, kept beside its archive, because reading a log of 10 MB again takes over a second.

/** Raise it if readers, entries or terms change: all cached logs are then read again. */
const version = 1
const arrays = ['starts', 'texts', 'counts', 'lengths'] as const
const bytesPerNumber = 4

/** What a cache may take in memory, so that a forged one does not fill it. */
const mostBytes = 2 ** 29

/** Returns the cached text of a log; undefined if there is none for exactly this archive, or it is damaged. */
export async function readLogCache(cached: ArchivedBundle): Promise<LogText | undefined> {
  const { storage, source } = cached
  const stored = await storage.get(archiveIndexKey(source.sha256))
  if (stored === undefined) return undefined
  const bytes = Buffer.from(stored.bytes)
  const end = bytes.indexOf('\n') + 1
  const packed = bytes.subarray(end)
  const fingerprint = await fingerprintOf(cached)
  if (fingerprint === undefined || bytes.toString('latin1', 0, end) !== headOf(fingerprint, packed))
    return undefined
  try {
    return decode(await promisify(inflate)(packed, { maxOutputLength: mostBytes }))
  } catch {
    // Someone made it by hand, with a right checksum. The log itself says what it is about.
    return undefined
  }
}

/** Caches the text of a log, unless its archive was pruned. A store that cannot be written to stays without it. */
export async function writeLogCache(archived: ArchivedBundle, text: LogText): Promise<void> {
  const fingerprint = await fingerprintOf(archived)
  if (fingerprint === undefined) return
  const packed = await promisify(deflate)(encode(text), { level: 1 })
  const bytes = Buffer.concat([Buffer.from(headOf(fingerprint, packed), 'latin1'), packed])
  try {
    await archived.storage.put(archiveIndexKey(archived.source.sha256), bytes)
  } catch (error) {
    // The search has its answer without the cache.
    if (!(error instanceof StorageError)) throw error
  }
}

function headOf(fingerprint: string, packed: Uint8Array): string {
  return `tenfold-recall ${fingerprint} ${sha256Of(packed).toString('hex')}\n`
}

/** Covers the stored bytes of the archive, so that one that is missing, damaged or redacted is never hidden. */
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

/** A line of JSON, then the numbers of the postings, little endian. */
function encode({ postings, ...text }: LogText): Buffer {
  const { terms } = postings
  const sizes = arrays.map((name) => postings[name].length)
  const numbers = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0) * bytesPerNumber)
  let at = 0
  for (const name of arrays) for (const number of postings[name]) at = numbers.writeUInt32LE(number, at)
  return Buffer.concat([Buffer.from(`${JSON.stringify({ text, terms, sizes })}\n`), numbers])
}

function decode(bytes: Buffer): LogText | undefined {
  const end = bytes.indexOf('\n')
  const { text, terms, sizes } = JSON.parse(bytes.toString('utf8', 0, end)) as {
    readonly text: Omit<LogText, 'postings'>
    readonly terms: readonly string[]
    readonly sizes: readonly [number, number, number, number]
  }
  let at = end + 1
  if (sizes.reduce((sum, size) => sum + size, 0) * bytesPerNumber !== bytes.length - at) return undefined
  const next = (size: number): Uint32Array => {
    const numbers = new Uint32Array(size)
    for (let place = 0; place < size; place++, at += bytesPerNumber) numbers[place] = bytes.readUInt32LE(at)
    return numbers
  }
  const [starts, texts, counts, lengths] = sizes
  const postings: Postings = {
    terms,
    starts: next(starts),
    texts: next(texts),
    counts: next(counts),
    lengths: next(lengths),
  }
  return { ...text, postings }
}
