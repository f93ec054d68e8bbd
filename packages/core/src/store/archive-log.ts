import { createHash, type Hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib'
import { LogReadError, StorageError } from '../errors.ts'
import { logDigest } from '../session/log-digest.ts'
import type { Session } from '../session/session.ts'
import { putIfAbsent } from './put-if-absent.ts'
import type { Storage } from './storage.ts'
import { damaged, decodeText } from './stored-json.ts'
import { type ArchivedName, formatSums, parseSums } from './sums.ts'

/** The files of a log, the main one first, whose bytes can be read again; an `OpenLog` is one. */
export interface ArchivableLog {
  readonly files: readonly { readonly name: string; blocks(): AsyncIterable<Uint8Array> }[]
}

/** An archived log: key of its list of files, its digest, and its length before and after compression. */
export interface ArchivedLog {
  readonly key: string
  readonly sha256: string
  readonly bytes: number
  readonly storedBytes: number
}

/** One file of an archived log. `blocks` unpacks it and throws StorageError where the archive is damaged. */
export interface ArchivedFile {
  readonly name: string
  readonly sha256: string
  blocks(): AsyncIterable<Uint8Array>
}

const digest = /^[0-9a-f]{64}$/
const unpackedBlock = 256 * 1024

/** Where the list of files of an archived log lies, by `Session.source.sha256`: lines as `sha256sum` prints them. */
export function archiveKey(sha256: string): string {
  return `archive/${sha256}.sums`
}

/** Where the compressed bytes of one archived file lie, by the digest of the bytes themselves. */
export function archiveFileKey(sha256: string): string {
  return `archive/${sha256.slice(0, 2)}/${sha256}.br`
}

/**
 * Archives the very bytes that `source` was read from, compressed; what is in the store already is not stored again. Of
 * a log that has grown since, the part that was read. Throws LogReadError `log-changed` where those bytes are gone.
 */
export async function archiveLog(
  storage: Storage,
  log: ArchivableLog,
  source: Pick<Session['source'], 'files' | 'bytes' | 'sha256'>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ArchivedLog> {
  if (log.files.length !== source.files.length)
    throw new LogReadError(
      'log-changed',
      `The log has ${log.files.length} files, of which ${source.files.length} were read; read it again.`,
    )
  let storedBytes = 0
  for (const [index, file] of log.files.entries()) {
    const read = source.files[index]
    if (read !== undefined)
      storedBytes += await archiveFile(storage, { ...read, blocks: () => file.blocks() }, options.signal)
  }
  const sums = new TextEncoder().encode(formatSums(source.files))
  const key = archiveKey(source.sha256)
  await putIfAbsent(storage, key, sums)
  return { key, sha256: source.sha256, bytes: source.bytes, storedBytes: storedBytes + sums.byteLength }
}

/**
 * The files of an archived log, in its order; each is checked against its digest while it is read. Throws StorageError
 * where the log is not in the store.
 */
export async function* readArchive(storage: Storage, sha256: string): AsyncGenerator<ArchivedFile> {
  if (!digest.test(sha256))
    throw new StorageError(
      '',
      `expected the SHA-256 of a log in hex, got ${JSON.stringify(String(sha256).slice(0, 80))}`,
    )
  const key = archiveKey(sha256)
  const stored = await storage.get(key)
  if (stored === undefined) throw new StorageError(key, `${storage.name} holds no archived log ${sha256}`)
  const files = parseSums(decodeText(key, stored.bytes))
  if (files === undefined || logDigest(files) !== sha256)
    throw damaged(key, 'it is not the list of files of that log')
  for (const file of files) yield { ...file, blocks: () => unpack(storage, file) }
}

type FileToArchive = ArchivedFile & { readonly bytes: number }

async function archiveFile(
  storage: Storage,
  file: FileToArchive,
  signal: AbortSignal | undefined,
): Promise<number> {
  signal?.throwIfAborted()
  const key = archiveFileKey(file.sha256)
  for await (const object of storage.list(key)) if (object.key === key) return object.size
  const packed = await pack(file, signal)
  // The key is the digest of the content: what is there already is the same.
  await putIfAbsent(storage, key, packed)
  return packed.byteLength
}

async function pack(file: FileToArchive, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const hash = createHash('sha256')
  const params = {
    // An 18 MB log: 6.8 % in 138 ms at 3, 6.2 % in 266 ms at 4, 5.9 % in 355 ms at 5; reading it takes 1 s.
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(file.bytes, 2 ** 30),
  }
  const pieces: Uint8Array[] = []
  await pipeline(
    firstBytes(file, hash),
    createBrotliCompress({ params }),
    async (packed: AsyncIterable<Uint8Array>) => {
      for await (const piece of packed) pieces.push(piece)
    },
    { ...(signal !== undefined && { signal }) },
  )
  if (hash.digest('hex') !== file.sha256) throw logChanged(file)
  return Buffer.concat(pieces)
}

async function* firstBytes(file: FileToArchive, hash: Hash): AsyncGenerator<Uint8Array> {
  let left = file.bytes
  if (left === 0) return
  for await (const block of file.blocks()) {
    const part = block.subarray(0, left)
    hash.update(part)
    yield part
    left -= part.byteLength
    if (left === 0) return
  }
  throw logChanged(file)
}

function logChanged(file: FileToArchive): LogReadError {
  return new LogReadError(
    'log-changed',
    `The first ${file.bytes} bytes of ${file.name} changed since it was read; read it again.`,
  )
}

async function* unpack(storage: Storage, file: ArchivedName): AsyncGenerator<Uint8Array> {
  const key = archiveFileKey(file.sha256)
  const stored = await storage.get(key)
  if (stored === undefined)
    throw new StorageError(key, `${storage.name} lacks ${key}, the archived ${file.name}`)
  const hash = createHash('sha256')
  const unpacked = createBrotliDecompress({ chunkSize: unpackedBlock })
  unpacked.end(stored.bytes)
  try {
    for await (const block of unpacked) {
      hash.update(block)
      yield block
    }
  } catch (cause) {
    throw damaged(key, `it cannot be unpacked: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
  if (hash.digest('hex') !== file.sha256) throw damaged(key, 'it holds other bytes than were archived')
}
