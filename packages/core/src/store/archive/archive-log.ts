import { createHash, type Hash } from 'node:crypto'
import { LogReadError } from '../../errors.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import type { Session } from '../../session/session.ts'
import { confirmStored, putStagedIfAbsent } from '../../storage/put-if-absent.ts'
import type { StagedBytes, Storage } from '../../storage/storage.ts'
import { archiveFileKey, archiveKey } from '../keys.ts'
import { packFile } from './pack-file.ts'
import { type ArchivedName, formatSums, putSums, readSums, redactedParts, storedSize } from './sums.ts'

/** A file of a log that can be read repeatedly. */
export interface ArchivableFile {
  /** Name in the archive. */
  readonly name: string
  /** Yields the bytes. */
  blocks(): AsyncIterable<Uint8Array>
  /** Present if the archive must contain marks instead of secrets; `original` are the bytes that were read. */
  redact?(original: AsyncIterable<Uint8Array>, options: AbortableOptions): Promise<RedactedFile>
}

/** A file with marks instead of secrets. `replaced` and `name` are valid once `blocks` has ended. */
export interface RedactedFile {
  /** Bytes of the file with marks instead of secrets. */
  readonly blocks: AsyncIterable<Uint8Array>
  /** Number of replaced parts; if 0, the file is archived unchanged. */
  readonly replaced: number
  /** Name in the archive. */
  readonly name: string
}

export type ArchivableSource = Pick<Session['source'], 'files' | 'bytes' | 'sha256'>

/** The files of a log, the main one first, such as an {@link OpenLog} or a result of {@link archivableLog}. */
export interface ArchivableLog {
  /** All files of the log. */
  readonly files: readonly ArchivableFile[]
  /** Present if the archived files differ from those that were read, under the same digest. */
  readonly source?: ArchivableSource
}

/** An archived log: key of its list of files, the digest of the log, and its length before and after compression. */
export interface ArchivedLog {
  /** Key of the list of files. */
  readonly key: string
  /** Digest of the log, which bundles refer to. */
  readonly sha256: string
  /** Size of the files. */
  readonly bytes: number
  /** Compressed size in the store. */
  readonly storedBytes: number
  /** Number of parts that marks replace in the archive; 0 if it holds the original log. */
  readonly redacted: number
  /** Keys of unredacted files in an earlier archive, which should be deleted. Absent if there are none. */
  readonly originals?: readonly string[]
}

/**
 * Archives the exact bytes that `source` was read from, compressed; files already in the store are not stored again. If
 * the log has grown since, only the part that was read is archived. A log from {@link redactLog} is archived with its
 * marks, and the original is never written; a redacted archive is not replaced by the original. Throws {@link
 * LogReadError} `log-changed` if the bytes that were read are gone.
 */
export async function archiveLog(
  storage: Storage,
  log: ArchivableLog,
  read: ArchivableSource,
  options: AbortableOptions = {},
): Promise<ArchivedLog> {
  const source = log.source ?? read
  if (log.files.length !== source.files.length)
    throw new LogReadError(
      'log-changed',
      `The log has ${log.files.length} files, of which ${source.files.length} were read; read it again.`,
    )
  const key = archiveKey(source.sha256)
  const redacts = log.files.some((file) => file.redact !== undefined)
  const known = await readSums(storage, key)
  if (!redacts && redactedParts(known?.files ?? []) > 0)
    return await archivedAs(storage, source, known?.files ?? [])
  const stored: ArchivedName[] = []
  const originals: string[] = []
  for (const [index, file] of log.files.entries()) {
    const info = source.files[index]
    if (info === undefined) continue
    const original = { ...info, blocks: () => file.blocks() }
    const place = await archiveFile(storage, original, file.redact, options.signal)
    stored.push(place)
    const originalKey = archiveFileKey(info.sha256)
    if (place.sha256 !== info.sha256 && (await storedSize(storage, originalKey)) !== undefined)
      originals.push(originalKey)
  }
  const files = await putSums(storage, key, stored)
  return { ...(await archivedAs(storage, source, files)), ...(originals.length > 0 && { originals }) }
}

async function archivedAs(
  storage: Storage,
  { sha256, bytes }: Pick<Session['source'], 'bytes' | 'sha256'>,
  files: readonly ArchivedName[],
): Promise<ArchivedLog> {
  let storedBytes = Buffer.byteLength(formatSums(files))
  for (const file of files) storedBytes += (await storedSize(storage, archiveFileKey(file.sha256))) ?? 0
  return { key: archiveKey(sha256), sha256, bytes, storedBytes, redacted: redactedParts(files) }
}

interface FileToArchive {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  blocks(): AsyncIterable<Uint8Array>
}

async function archiveFile(
  storage: Storage,
  file: FileToArchive,
  redact: ArchivableFile['redact'],
  signal: AbortSignal | undefined,
): Promise<ArchivedName> {
  signal?.throwIfAborted()
  const { name, sha256 } = file
  const marked = redact && (await pack(storage, file, redact, signal))
  try {
    if (marked !== undefined && marked.replaced > 0) {
      await putStagedIfAbsent(marked.packed, archiveFileKey(marked.sha256))
      return { name: marked.name, sha256: marked.sha256, redacted: marked.replaced }
    }
    const key = archiveFileKey(sha256)
    // The key is the digest of the content, so an existing object is the same.
    if ((await storedSize(storage, key)) === undefined) {
      const packed = marked ?? (await pack(storage, file, undefined, signal))
      if (packed !== undefined) await putStagedIfAbsent(packed.packed, key)
    } else await confirmStored(storage, key)
    return { name, sha256 }
  } finally {
    await marked?.packed.discard()
  }
}

/** A packed file. `replaced` is 0 for the original. */
interface PackedFile {
  readonly name: string
  readonly sha256: string
  readonly replaced: number
  readonly packed: StagedBytes
}

/** Packs a file unchanged, or with marks; undefined if it has none, but its text differs from its bytes. */
async function pack(
  storage: Storage,
  file: FileToArchive,
  redact: ArchivableFile['redact'],
  signal: AbortSignal | undefined,
): Promise<PackedFile | undefined> {
  const { name, sha256, bytes } = file
  const hash = createHash('sha256')
  const original = firstBytes(file, hash)
  // The rest of a broken gzip, which cannot be unpacked, is still read to verify the bytes.
  const kept = { [Symbol.asyncIterator]: () => ({ next: () => original.next() }) }
  const clean = (await redact?.(kept, { signal })) ?? { name, replaced: 0, blocks: original }
  const cleanHash = redact && createHash('sha256')
  const blocks = cleanHash === undefined ? clean.blocks : hashed(clean.blocks, cleanHash)
  const packed = await packFile(storage, blocks, bytes, signal)
  let result: PackedFile | undefined
  try {
    for await (const _ of original) signal?.throwIfAborted()
    if (hash.digest('hex') !== sha256) throw logChanged(file)
    const { name, replaced } = clean
    const made = { name, replaced, sha256: cleanHash?.digest('hex') ?? sha256, packed }
    if (replaced > 0 || made.sha256 === sha256) result = made
    return result
  } finally {
    if (result === undefined) await packed.discard()
  }
}

async function* hashed(blocks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    hash.update(block)
    yield block
  }
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
