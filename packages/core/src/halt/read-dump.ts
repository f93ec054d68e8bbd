import { StorageError, TenfoldError } from '../errors.ts'
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

/** Loads a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function loadDump(storage: Storage, haltId: string, place: DumpPlace = {}): Promise<HaltDump> {
  const manifestKey = dumpKey(place, haltId, dumpPaths.manifest)
  const [manifest, metadata] = await Promise.all([
    readManifest(storage, haltId, place),
    readMetadata(storage, haltId, place),
  ])
  const faults = [manifest, metadata].filter((found) => found instanceof Error).map(({ message }) => message)
  if (manifest === undefined && metadata === undefined) throw noDump(storage, haltId)
  const good = manifest instanceof Error ? undefined : manifest
  const paths =
    good === undefined
      ? await pathsOf(storage, manifestKey.slice(0, -dumpPaths.manifest.length))
      : good.parts.map(({ path }) => path)
  const byPath = new Map(good?.parts.map((part) => [part.path, part]))
  return {
    haltId,
    state: good === undefined ? 'incomplete' : good.state,
    ...(metadata !== undefined && !(metadata instanceof Error) && { metadata }),
    ...(good !== undefined && { manifest: good }),
    paths,
    faults,
    async read(path) {
      if (good === undefined)
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

/** Returns the manifest, undefined if there is none, or what is wrong with it. */
export async function readManifest(
  storage: Storage,
  haltId: string,
  place: DumpPlace,
): Promise<DumpManifest | Error | undefined> {
  const key = dumpKey(place, haltId, dumpPaths.manifest)
  const found = await storage.get(key)
  if (found === undefined) return undefined
  const manifest = decodeOrFault(() => decodeJson(key, found.bytes, dumpManifestSchema))
  if (manifest instanceof Error || manifest.haltId === haltId) return manifest
  return damaged(key, `it is that of dump ${manifest.haltId}`)
}

/** Returns the metadata, undefined if there is none, or what is wrong with it. */
export async function readMetadata(
  storage: Storage,
  haltId: string,
  place: DumpPlace,
): Promise<DumpMetadata | Error | undefined> {
  const key = dumpKey(place, haltId, dumpPaths.metadata)
  const found = await storage.get(key)
  return found && decodeOrFault(() => decodeJson(key, found.bytes, dumpMetadataSchema))
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

function noDump(storage: Storage, haltId: string): TenfoldError {
  return new TenfoldError(
    'no-dump',
    `There is no halt dump ${haltId} in ${storage.name}; list them with listDumps.`,
  )
}
