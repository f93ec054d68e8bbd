import type * as z from 'zod/mini'
import { StorageError, TenfoldError } from '../errors.ts'
import { appendTo } from '../session/append-to.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, decodeJson, decodeOrFault } from '../storage/stored-json.ts'
import { sha256Of } from './collect/file-digests.ts'
import { type DumpPlace, dumpKey, dumpPaths, dumpsPrefix, isHaltId } from './dump-keys.ts'
import {
  type DumpManifest,
  type DumpMetadata,
  type DumpPart,
  dumpManifestSchema,
  dumpMetadataSchema,
  type FileManifest,
  fileManifestSchema,
} from './dump-schema.ts'

/** A stored dump; its parts are read on demand. */
export interface HaltDump {
  readonly haltId: string
  /** `incomplete`: it was cut off before its manifest was written; existing parts can be read, but not checked. */
  readonly state: 'complete' | 'partial' | 'incomplete'
  /** Absent if it is missing or damaged. */
  readonly metadata?: DumpMetadata
  readonly manifest?: DumpManifest
  /** Paths of the parts, without the manifest. */
  readonly paths: readonly string[]
  /** Faults of metadata and manifest. */
  readonly faults: readonly string[]
  /**
   * Returns the bytes of a part, undefined if the dump has none; throws {@link StorageError} if they are gone or do not
   * match the manifest.
   */
  read(path: string): Promise<Uint8Array | undefined>
}

/** Manifest and metadata of a dump, where they are there and intact, and what is wrong with them otherwise. */
interface DumpHeads {
  readonly manifest?: DumpManifest
  readonly metadata?: DumpMetadata
  readonly faults: readonly { readonly path: 'manifest.json' | 'metadata.json'; readonly message: string }[]
}

/** Reads what a dump says of itself. */
export async function readHeads(storage: Storage, haltId: string, place: DumpPlace): Promise<DumpHeads> {
  const read = async <T extends { readonly haltId: string }>(path: string, schema: z.ZodMiniType<T>) => {
    const key = dumpKey(place, haltId, path)
    const found = await storage.get(key)
    const head = found && decodeOrFault(() => decodeJson(key, found.bytes, schema))
    if (head === undefined || head instanceof Error || head.haltId === haltId) return head
    return damaged(key, `it is that of dump ${head.haltId}`)
  }
  const [manifest, metadata] = await Promise.all([
    read(dumpPaths.manifest, dumpManifestSchema),
    read(dumpPaths.metadata, dumpMetadataSchema),
  ])
  return {
    ...(manifest !== undefined && !(manifest instanceof Error) && { manifest }),
    ...(metadata !== undefined && !(metadata instanceof Error) && { metadata }),
    faults: [
      ...(manifest instanceof Error ? [{ path: dumpPaths.manifest, message: manifest.message }] : []),
      ...(metadata instanceof Error ? [{ path: dumpPaths.metadata, message: metadata.message }] : []),
    ],
  }
}

/** Loads a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function loadDump(storage: Storage, haltId: string, place: DumpPlace = {}): Promise<HaltDump> {
  const { faults, ...heads } = await readHeads(storage, haltId, place)
  const { manifest, metadata } = heads
  if (manifest === undefined && metadata === undefined && faults.length === 0)
    throw new TenfoldError(
      'no-dump',
      `There is no halt dump ${haltId} in ${storage.name}; list them with listDumps.`,
    )
  const paths =
    manifest === undefined
      ? await pathsOf(storage, dumpKey(place, haltId, ''))
      : manifest.parts.map(({ path }) => path)
  const byPath = new Map(manifest?.parts.map((part) => [part.path, part]))
  return {
    haltId,
    state: manifest?.state ?? 'incomplete',
    ...heads,
    paths,
    faults: faults.map(({ message }) => message),
    async read(path) {
      if (manifest === undefined)
        return paths.includes(path) ? (await storage.get(dumpKey(place, haltId, path)))?.bytes : undefined
      const part = byPath.get(path)
      return part && (await readPart(storage, haltId, part, place))
    },
  }
}

/** Returns the bytes of a part. Throws {@link StorageError} if they are gone, or do not match the manifest. */
export async function readPart(
  storage: Storage,
  haltId: string,
  part: DumpPart,
  place: DumpPlace,
): Promise<Uint8Array> {
  const key = dumpKey(place, haltId, part.path)
  const found = await storage.get(key)
  if (found === undefined)
    throw new StorageError(
      key,
      `${key} is missing. Restore it from a backup; the rest of the dump can be read.`,
    )
  const size = found.bytes.byteLength
  if (size !== part.size) throw damaged(key, `it has ${size} bytes, not ${part.size}`)
  if (sha256Of(found.bytes) !== part.sha256) throw damaged(key, 'it has another digest than in the manifest')
  return found.bytes
}

/** Returns the ids of all dumps of a storage that have a manifest or metadata, oldest first. */
export async function haltIds(storage: Storage, place: DumpPlace = {}): Promise<string[]> {
  const prefix = dumpsPrefix(place)
  const ids = new Set<string>()
  for await (const { key } of storage.list(prefix)) {
    const [id = '', ...rest] = key.slice(prefix.length).split('/')
    const path = rest.join('/')
    if (isHaltId(id) && (path === dumpPaths.manifest || path === dumpPaths.metadata)) ids.add(id)
  }
  return [...ids].sort()
}

async function pathsOf(storage: Storage, prefix: string): Promise<string[]> {
  const paths: string[] = []
  for await (const { key } of storage.list(prefix)) paths.push(key.slice(prefix.length))
  return paths.filter((path) => path !== dumpPaths.manifest)
}

/** Returns the file manifest of a dump, undefined if it has none. Throws {@link StorageError} if it is damaged. */
export async function readFileManifest(dump: HaltDump): Promise<FileManifest | undefined> {
  const bytes = await dump.read(dumpPaths.files)
  return bytes && decodeJson(`${dump.haltId}/${dumpPaths.files}`, bytes, fileManifestSchema)
}

/**
 * Returns the content of a file of the sandbox that is stored whole, or of a part; undefined if the dump has neither.
 * Throws {@link StorageError} if it is damaged.
 */
export async function readDumpedFile(dump: HaltDump, path: string): Promise<Uint8Array | undefined> {
  const inside = `${dumpPaths.snapshots}/`
  const name = path.startsWith(inside) ? path.slice(inside.length) : path
  const snapshot = (await readFileManifest(dump))?.snapshots.find((entry) => entry.path === name)
  return await dump.read(snapshot?.part ?? path)
}

/** Returns the paths of the files that are stored whole, by the part that holds them. Empty without a file manifest. */
export async function snapshotPaths(dump: HaltDump): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = new Map<string, string[]>()
  try {
    for (const { part, path } of (await readFileManifest(dump))?.snapshots ?? []) appendTo(paths, part, path)
  } catch (error) {
    // A damaged manifest costs only the names; verifyDump reports it.
    if (!TenfoldError.isInstance(error)) throw error
  }
  return paths
}
