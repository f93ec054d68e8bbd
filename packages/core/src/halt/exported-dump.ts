import { lstat, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { createGzip } from 'node:zlib'
import { createTarDecoder, createTarPacker } from 'modern-tar'
import { createdAtOf } from '../bundle/bundle-id.ts'
import { errorCode, LogReadError, messageOf, StorageError, TenfoldError } from '../errors.ts'
import { unpack } from '../readers/log/unpack.ts'
import { readRegularFile, regularFileBlocks } from '../regular-file.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import * as json from '../session/json.ts'
import type { Storage } from '../storage/storage.ts'
import { assertStorageKey, storageKeyFault } from '../storage/storage-key.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { type DumpPlace, dumpKey, dumpPaths, isHaltId } from './dump-keys.ts'
import { pathFault, placeOf } from './files/file-path.ts'
import { sha256Of } from './files/found-file.ts'
import { walkFolder } from './files/walk-folder.ts'
import { type HaltDump, loadDump, snapshotPaths } from './read-dump.ts'

/** Options of {@link exportDump}. */
export interface ExportDumpOptions extends AbortableOptions, DumpPlace {}

/**
 * Packs a dump as a `.tar.gz`: one folder, named after the id, with all parts, and files that are stored whole at
 * `filesystem/file-snapshots/{path}`. `openExportedDump` reads it, packed or unpacked. Throws {@link TenfoldError}
 * `no-dump`; the blocks throw {@link StorageError} if a part is missing or damaged.
 */
export async function exportDump(
  storage: Storage,
  haltId: string,
  options: ExportDumpOptions = {},
): Promise<AsyncIterable<Uint8Array>> {
  const dump = await loadDump(storage, haltId, options)
  const { readable, controller } = createTarPacker()
  const mtime = new Date(createdAtOf(haltId))
  const add = async (path: string, bytes: Uint8Array): Promise<void> => {
    const file = controller.add({ name: `${haltId}/${path}`, size: bytes.byteLength, mtime }).getWriter()
    await file.write(bytes)
    await file.close()
  }
  const pack = async (): Promise<void> => {
    if (dump.manifest !== undefined) await add(dumpPaths.manifest, encodeJson(dump.manifest))
    const files = await exportedPaths(dump)
    for (const path of dump.paths) {
      options.signal?.throwIfAborted()
      const bytes = await dump.read(path)
      for (const file of bytes === undefined ? [] : (files.get(path) ?? [path]))
        await add(file, bytes as Uint8Array)
    }
    controller.finalize()
  }
  // The error reaches the loop over the blocks.
  pack().catch((error: unknown) => controller.error(error))
  const gzip = createGzip()
  pipeline(Readable.fromWeb(readable as WebStream<Uint8Array>), gzip, () => {})
  return gzip
}

/** Where an export has the files that are stored whole, by part. */
async function exportedPaths(dump: Pick<HaltDump, 'haltId' | 'read'>): Promise<Map<string, string[]>> {
  const taken = new Set<string>()
  const exported = new Map<string, string[]>()
  for (const [part, paths] of await snapshotPaths(dump)) {
    // Names that are not text or may lead elsewhere, and equal names once secrets are redacted, keep the digest.
    const isFree = (path: string): boolean =>
      !path.includes('\ufffd') && pathFault(Buffer.from(path)) === undefined && !taken.has(path)
    const plain = part.startsWith(`${dumpPaths.snapshots}/`) ? paths.filter(isFree) : []
    for (const path of plain) taken.add(path)
    if (plain.length > 0)
      exported.set(
        part,
        plain.map((path) => `${dumpPaths.snapshots}/${path}`),
      )
  }
  return exported
}

/** An exported dump. */
export interface ExportedDump {
  /** The id that it had in its store. */
  readonly haltId: string
  /** Holds this dump and nothing else, and cannot be written: for `loadDump`, `verifyDump`, `restoreDump`. */
  readonly storage: Storage
}

/**
 * Opens what `exportDump` wrote: the `.tar.gz`, or the folder that it was unpacked to. Throws {@link TenfoldError}
 * `no-dump` if there is no dump at the path.
 */
export async function openExportedDump(path: string): Promise<ExportedDump> {
  const files = (await isFolder(path)) ? await filesOfFolder(resolve(path)) : await filesOfArchive(path)
  const heads = [dumpPaths.manifest, dumpPaths.metadata].filter((head) => files.has(head))
  const named = await Promise.all(heads.map(async (head) => await haltIdIn(files.get(head))))
  // If both are damaged, verifyDump reports how, but it needs the id.
  const folder = heads.length > 0 ? basename(resolve(path)) : ''
  const haltId = [...named, folder].find((id) => isHaltId(id))
  if (haltId === undefined) {
    const reason = files.has(dumpPaths.metadata)
      ? 'its metadata.json names no haltId. If another tool wrote it, import it with importDump'
      : 'it has no manifest.json or metadata.json'
    throw new TenfoldError('no-dump', `${path} is not a halt dump: ${reason}.`)
  }
  return { haltId, storage: await storageOf(path, haltId, files) }
}

async function haltIdIn(file: ExportedFile | undefined): Promise<string> {
  const text = Buffer.from((await file?.read()) ?? []).toString('utf8')
  return String(json.fields(json.parse(text)).haltId)
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new TenfoldError('no-dump', `There is no exported halt dump ${path}.`, { cause: error })
  }
}

async function storageOf(path: string, haltId: string, files: ExportedFiles): Promise<Storage> {
  const name = `export:${path}`
  const prefix = dumpKey({}, haltId, '')
  const renamed = await exportedPaths({ haltId, read: async (part) => await files.get(part)?.read() })
  const inRenamed = new Set([...renamed.values()].flat())
  const byKey = new Map(
    [...files].flatMap(([file, held]) => (inRenamed.has(file) ? [] : [[prefix + file, held]])),
  )
  for (const [part, [file = '']] of renamed) {
    const held = files.get(file)
    if (held !== undefined) byKey.set(prefix + part, held)
  }
  const refuse = async (key: string): Promise<never> => {
    throw new StorageError(key, `${name} is an exported halt dump and cannot be changed.`)
  }
  return {
    name,
    async get(key) {
      assertStorageKey(key)
      const bytes = await byKey.get(key)?.read()
      return bytes && { bytes, etag: sha256Of(bytes) }
    },
    async *list(start, { after = '' } = {}) {
      // A system may have put files of its own into the folder.
      for (const [key, { size }] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)))
        if (key > after && key.startsWith(start) && storageKeyFault(key) === undefined) yield { key, size }
    },
    put: refuse,
    delete: refuse,
  }
}

/** A file of an exported dump. */
interface ExportedFile {
  readonly size: number
  read(): Promise<Uint8Array>
}

/** The files of an exported dump, by path from its folder. */
type ExportedFiles = ReadonlyMap<string, ExportedFile>

const maxFiles = 500_000
/** Most bytes that are unpacked into memory. */
const maxBytes = 2 ** 30

/** Lists the files of a folder; links are left out, so that nothing outside of it is read. */
async function filesOfFolder(root: string): Promise<ExportedFiles> {
  const { files } = await walkFolder(root, { ignore: [], max: maxFiles })
  const found = new Map<string, ExportedFile>()
  for (const { path, link } of files) {
    if (link) continue
    const place = placeOf(root, path)
    const { size } = await lstat(place)
    found.set(path.toString('utf8'), { size, read: () => readRegularFile(place, { links: false, maxBytes }) })
  }
  return found
}

/** Unpacks a `.tar.gz` into memory. Throws {@link TenfoldError} `no-dump` if it is not one with one dump in it. */
async function filesOfArchive(path: string): Promise<ExportedFiles> {
  const files = new Map<string, ExportedFile>()
  try {
    const file = { name: basename(path), maxBytes, blocks: regularFileBlocks(path) }
    const blocks = unpack(file, 'gzip', (_, message) => {
      throw new Error(message)
    })
    const entries = ReadableStream.from(blocks).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of entries) {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer())
      if (header.type === 'file')
        files.set(header.name.replace(/^(?:\.\/)+/, ''), { size: bytes.byteLength, read: async () => bytes })
    }
  } catch (cause) {
    const message = `${path} cannot be read as an exported halt dump: ${reasonOf(cause)}.`
    throw new TenfoldError('no-dump', message, { cause })
  }
  const heads = [...files.keys()].filter((name) => /^(?:[^/]+\/)?(?:manifest|metadata)\.json$/.test(name))
  const [folder = '', ...others] = new Set(heads.map((name) => name.slice(0, name.lastIndexOf('/') + 1)))
  if (others.length > 0)
    throw new TenfoldError(
      'no-dump',
      `${path} holds ${others.length + 1} halt dumps. Unpack it with tar -xzf and give the folder of one.`,
    )
  const inside = [...files].filter(([name]) => name.startsWith(folder))
  return new Map(inside.map(([name, file]) => [name.slice(folder.length), file]))
}

function reasonOf(cause: unknown): string {
  if (LogReadError.isInstance(cause) && cause.code === 'log-too-large')
    return 'it is too large to be unpacked in memory. If you trust it, unpack it with tar -xzf and give the folder'
  const message = messageOf(cause)
  // What zlib says of a file that does not begin as gzip does.
  return message.includes('incorrect header check') ? 'it is not a .tar.gz file' : message
}
