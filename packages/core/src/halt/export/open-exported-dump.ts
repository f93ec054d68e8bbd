import { lstat, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { createTarDecoder } from 'modern-tar'
import * as z from 'zod/mini'
import { errorCode, LogReadError, messageOf, StorageError, TenfoldError } from '../../errors.ts'
import { unpack } from '../../readers/log/unpack.ts'
import { readRegularFile, regularFileBlocks } from '../../regular-file.ts'
import { lazySchema } from '../../session/lazy-schema.ts'
import type { Storage } from '../../storage/storage.ts'
import { assertStorageKey, storageKeyFault } from '../../storage/storage-key.ts'
import { decodeJson, decodeOrFault } from '../../storage/stored-json.ts'
import { sha256Of } from '../collect/file-digests.ts'
import { walkFolder } from '../collect/walk-folder.ts'
import { dumpKey, dumpPaths, isHaltId } from '../dump-keys.ts'
import { dumpManifestSchema } from '../dump-schema.ts'
import { placeOf } from '../file-path.ts'

/** An exported dump. */
export interface ExportedDump {
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
  const haltId = await haltIdOf(files, basename(resolve(path)))
  if (haltId === undefined) {
    const reason = files.has(dumpPaths.metadata)
      ? 'its metadata.json names no haltId. If another tool wrote it, import it with importDump'
      : 'it has no manifest.json or metadata.json'
    throw new TenfoldError('no-dump', `${path} is not a halt dump: ${reason}.`)
  }
  return { haltId, storage: await storageOf(path, haltId, files) }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw new TenfoldError('no-dump', `There is no exported halt dump ${path}.`, { cause: error })
  }
}

const head = lazySchema(() => z.object({ haltId: z.string().check(z.refine(isHaltId)) }))

async function haltIdOf(files: ExportedFiles, folder: string): Promise<string | undefined> {
  const heads = [dumpPaths.manifest, dumpPaths.metadata].filter((path) => files.has(path))
  for (const path of heads) {
    const bytes = await files.get(path)?.read()
    const found = bytes && decodeOrFault(() => decodeJson(path, bytes, head))
    if (found !== undefined && !(found instanceof Error)) return found.haltId
  }
  // Both are damaged: verifyDump reports how, but it needs the id.
  return heads.length > 0 && isHaltId(folder) ? folder : undefined
}

async function storageOf(path: string, haltId: string, files: ExportedFiles): Promise<Storage> {
  const name = `export:${path}`
  const prefix = dumpKey({}, haltId, '')
  const fileOfPart = await renamedParts(files)
  const renamed = new Set([...fileOfPart.values()].flat())
  const paths = [...fileOfPart.keys(), ...[...files.keys()].filter((file) => !renamed.has(file))]
  const fileOf = (key: string) => {
    const part = key.startsWith(prefix) ? key.slice(prefix.length) : undefined
    return part === undefined ? undefined : files.get(fileOfPart.get(part)?.[0] ?? part)
  }
  const refuse = async (key: string): Promise<never> => {
    throw new StorageError(key, `${name} is an exported halt dump and cannot be changed.`)
  }
  return {
    name,
    async get(key) {
      assertStorageKey(key)
      const bytes = await fileOf(key)?.read()
      return bytes && { bytes, etag: sha256Of(bytes) }
    },
    async *list(start, { after = '' } = {}) {
      for (const key of paths.map((part) => prefix + part).sort()) {
        const size = fileOf(key)?.size
        // A system may have put files of its own into the folder.
        if (size === undefined || storageKeyFault(key) !== undefined) continue
        if (key > after && key.startsWith(start)) yield { key, size }
      }
    },
    put: refuse,
    delete: refuse,
  }
}

/** The files of parts that are not at their own path. */
async function renamedParts(files: ExportedFiles): Promise<Map<string, readonly string[]>> {
  const bytes = await files.get(dumpPaths.manifest)?.read()
  const manifest = bytes && decodeOrFault(() => decodeJson(dumpPaths.manifest, bytes, dumpManifestSchema))
  if (manifest === undefined || manifest instanceof Error) return new Map()
  return new Map(manifest.parts.flatMap(({ path, files }) => (files === undefined ? [] : [[path, files]])))
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
    for await (const { header, body } of ReadableStream.from(blocks).pipeThrough(
      createTarDecoder({ strict: true }),
    )) {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer())
      if (header.type === 'file')
        files.set(header.name.replace(/^(?:\.\/)+/, ''), { size: bytes.byteLength, read: async () => bytes })
    }
  } catch (cause) {
    const message = `${path} cannot be read as an exported halt dump: ${reasonOf(cause)}.`
    throw new TenfoldError('no-dump', message, { cause })
  }
  return ofOneFolder(path, files)
}

function reasonOf(cause: unknown): string {
  if (LogReadError.isInstance(cause) && cause.code === 'log-too-large')
    return 'it is too large to be unpacked in memory. If you trust it, unpack it with tar -xzf and give the folder'
  const message = messageOf(cause)
  // What zlib says of a file that does not begin as gzip does.
  return message.includes('incorrect header check') ? 'it is not a .tar.gz file' : message
}

/** The files of the only folder with a dump in it, by path from there. */
function ofOneFolder(archive: string, files: ExportedFiles): ExportedFiles {
  const heads = [...files.keys()].filter((path) => /^(?:[^/]+\/)?(?:manifest|metadata)\.json$/.test(path))
  const [folder = '', ...others] = new Set(heads.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))
  if (others.length > 0)
    throw new TenfoldError(
      'no-dump',
      `${archive} holds ${others.length + 1} halt dumps. Unpack it with tar -xzf and give the folder of one.`,
    )
  const inside = [...files].filter(([path]) => path.startsWith(folder))
  return new Map(inside.map(([path, file]) => [path.slice(folder.length), file]))
}
