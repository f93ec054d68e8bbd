import type * as z from 'zod/mini'
import { StorageError, TenfoldError } from '../errors.ts'
import { appendTo } from '../session/append-to.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, decodeJson, decodeOrFault } from '../storage/stored-json.ts'
import { type DumpPlace, dumpKey, dumpPaths } from './dump-keys.ts'
import {
  type DumpManifest,
  type DumpMetadata,
  type DumpPart,
  dumpManifestSchema,
  dumpMetadataSchema,
  type FileManifest,
  fileManifestSchema,
} from './dump-schema.ts'
import { sha256Of } from './files/found-file.ts'

/** A stored dump; its parts are read on demand. */
export interface HaltDump {
  /** Id in the store. */
  readonly haltId: string
  /** `incomplete`: it was cut off before its manifest was written; existing parts can be read, but not checked. */
  readonly state: 'complete' | 'partial' | 'incomplete'
  /** Absent if it is missing or damaged. */
  readonly metadata?: DumpMetadata
  /** List of its parts with their digests; absent if the run died before it was written. */
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

/** What a dump says of itself: undefined if it is not there, an error if it is damaged. */
export interface DumpHeads {
  readonly manifest: DumpManifest | Error | undefined
  readonly metadata: DumpMetadata | Error | undefined
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
  return { manifest, metadata }
}

/** A value that is there and intact. */
export function intact<T>(value: T | Error | undefined): T | undefined {
  return value instanceof Error ? undefined : value
}

/** Loads a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function loadDump(storage: Storage, haltId: string, place: DumpPlace = {}): Promise<HaltDump> {
  const heads = await readHeads(storage, haltId, place)
  if (heads.manifest === undefined && heads.metadata === undefined)
    throw new TenfoldError(
      'no-dump',
      `There is no halt dump ${haltId} in ${storage.name}; list them with listDumps.`,
    )
  const manifest = intact(heads.manifest)
  const metadata = intact(heads.metadata)
  const parts = new Map(manifest?.parts.map((part) => [part.path, part]))
  const paths = manifest === undefined ? await pathsOf(storage, haltId, place) : [...parts.keys()]
  return {
    haltId,
    state: manifest?.state ?? 'incomplete',
    ...(manifest !== undefined && { manifest }),
    ...(metadata !== undefined && { metadata }),
    paths: paths.filter((path) => path !== dumpPaths.manifest),
    faults: Object.values(heads).flatMap((head) => (head instanceof Error ? [head.message] : [])),
    async read(path) {
      if (manifest === undefined)
        return paths.includes(path) ? (await storage.get(dumpKey(place, haltId, path)))?.bytes : undefined
      const part = parts.get(path)
      return part && (await readPart(storage, haltId, part, place))
    },
  }
}

/** Paths of everything that is stored of a dump. */
export async function pathsOf(storage: Storage, haltId: string, place: DumpPlace): Promise<string[]> {
  const prefix = dumpKey(place, haltId, '')
  const paths: string[] = []
  for await (const { key } of storage.list(prefix)) paths.push(key.slice(prefix.length))
  return paths
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

/** Returns the file manifest of a dump, undefined if it has none. Throws {@link StorageError} if it is damaged. */
export async function readFileManifest(
  dump: Pick<HaltDump, 'haltId' | 'read'>,
): Promise<FileManifest | undefined> {
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
export async function snapshotPaths(
  dump: Pick<HaltDump, 'haltId' | 'read'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = new Map<string, string[]>()
  try {
    for (const { part, path } of (await readFileManifest(dump))?.snapshots ?? []) appendTo(paths, part, path)
  } catch (error) {
    // A damaged manifest costs only the names; verifyDump reports it.
    if (!TenfoldError.isInstance(error)) throw error
  }
  return paths
}
