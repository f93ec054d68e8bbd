import { createHash } from 'node:crypto'
import { createBrotliDecompress } from 'node:zlib'
import { messageOf, StorageError } from '../../errors.ts'
import { defaultMaxLogBytes, maxUnpackedBytes } from '../../readers/log/decode-log.ts'
import { logDigest } from '../../session/log-digest.ts'
import type { Storage } from '../../storage/storage.ts'
import { damaged, decodeText, faultOf } from '../../storage/stored-json.ts'
import { archiveFileKey, archiveKey, getKept } from '../keys.ts'
import { getDecoded } from '../track-store.ts'
import { type ArchivedName, parseSums, redactedParts } from './sums.ts'

/** A file of an archived log. */
export interface ArchivedFile extends ArchivedName {
  /** Yields the decompressed bytes. Throws {@link StorageError} if the archive is damaged. */
  blocks(): AsyncIterable<Uint8Array>
}

const digest = /^[0-9a-f]{64}$/
const unpackedBlock = 256 * 1024

/**
 * Yields the files of an archived log, in order; each is checked against its digest while it is read. Throws {@link
 * StorageError} if the log is not in the store.
 */
export async function* readArchive(storage: Storage, sha256: string): AsyncGenerator<ArchivedFile> {
  if (!digest.test(sha256))
    throw new StorageError(
      '',
      `expected the SHA-256 of a log in hex, got ${JSON.stringify(String(sha256).slice(0, 80))}`,
    )
  const key = archiveKey(sha256)
  const stored = await getKept(storage, key)
  if (stored === undefined) throw new StorageError(key, `${storage.name} holds no archived log ${sha256}`)
  for (const file of decodeSums(key, stored.bytes, sha256))
    yield { ...file, blocks: () => unpack(storage, file) }
}

/** Parses the list of files of a log. Throws {@link StorageError} if it is other text, or the list of another log. */
export function decodeSums(key: string, bytes: Uint8Array, sha256: string): readonly ArchivedName[] {
  const files = parseSums(decodeText(key, bytes))
  if (files === undefined || (redactedParts(files) === 0 && logDigest(files) !== sha256))
    throw damaged(key, 'it is not the list of files of that log')
  return files
}

/** Returns the files of an archived log, the error if their list is damaged, or undefined if there is none. */
export async function listedFiles(storage: Pick<Storage, 'get'>, sha256: string, prefix = '') {
  return await getDecoded(storage, `${prefix}${archiveKey(sha256)}`, (key, bytes) =>
    decodeSums(key, bytes, sha256),
  )
}

/** Returns the fault of archived bytes stored under `key`; undefined if they are intact. */
export async function archivedFileFault(
  key: string,
  bytes: Uint8Array,
  sha256: string,
): Promise<string | undefined> {
  try {
    for await (const _ of unpackBytes(key, bytes, sha256));
    return undefined
  } catch (error) {
    return faultOf(error).message
  }
}

async function* unpack(storage: Storage, file: ArchivedName): AsyncGenerator<Uint8Array> {
  const key = archiveFileKey(file.sha256)
  const stored = await getKept(storage, key)
  if (stored === undefined)
    throw new StorageError(key, `${storage.name} lacks ${key}, the archived ${file.name}`)
  yield* unpackBytes(key, stored.bytes, file.sha256)
}

async function* unpackBytes(key: string, bytes: Uint8Array, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  const unpacked = createBrotliDecompress({ chunkSize: unpackedBlock })
  // An archived log may be denser than a packed log may be, because its text was read before.
  const maxBytes = Math.max(defaultMaxLogBytes, maxUnpackedBytes(bytes.byteLength))
  let total = 0
  unpacked.end(bytes)
  try {
    for await (const block of unpacked) {
      total += block.byteLength
      if (total > maxBytes)
        throw new Error('its text is far larger than its size allows, as that of a decompression bomb')
      hash.update(block)
      yield block
    }
  } catch (cause) {
    throw damaged(key, `it cannot be unpacked: ${messageOf(cause)}`, { cause })
  }
  if (hash.digest('hex') !== sha256) throw damaged(key, 'it holds other bytes than were archived')
}
