import { createdAtOf } from '../bundle/bundle-id.ts'
import { errorCode, messageOf, TenfoldError } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, decodeJson } from '../storage/stored-json.ts'
import { assertPolicy, beyondPolicy, type DeletePolicy } from '../store/prune/policy.ts'
import { getDecoded } from '../store/track-store.ts'
import {
  type DumpParts,
  dumpPaths,
  dumpsPrefix,
  haltIdOfKey,
  haltIdPattern,
  keysOfDump,
  maxDumpBytes,
  mayBeOfTask,
  packDump,
  unpackDump,
} from './dump-keys.ts'
import {
  type DumpMetadata,
  dumpMetadataSchema,
  type FileManifest,
  fileManifestSchema,
} from './dump-schema.ts'
import { isGone } from './files/found-file.ts'

/** A problem of a dump. */
export interface DumpFinding {
  /** `fault`: part of the dump is lost or cannot be trusted. */
  readonly level: 'fault' | 'warning'
  /** What is wrong, for programs. */
  readonly code: 'archive-missing' | 'archive-damaged' | 'not-dumped'
  /** Key of the affected object or part. */
  readonly key: string
  /** What is wrong, for people. */
  readonly message: string
}

/** A dump that was read. */
export interface HaltDump {
  /** Id of the dump in the store. */
  readonly haltId: string
  /** `partial`: some parts could not be collected; `damaged`: the parts cannot be read. */
  readonly state: 'complete' | 'partial' | 'damaged'
  /** Absent if the dump is damaged. */
  readonly metadata?: DumpMetadata
  /** Content of the parts, by path; none if the dump is damaged. */
  readonly parts: DumpParts
  /** Problems of the stored objects. */
  readonly faults: readonly DumpFinding[]
}

/** Loads a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function loadDump(storage: Storage, haltId: string): Promise<HaltDump> {
  const { archive: key } = keysOfDump(haltId)
  const stored = await storage.get(key)
  let message = `${key} is missing: only the metadata of the dump is left; delete it`
  try {
    if (stored !== undefined) return await openArchive(stored.bytes, key, haltId)
  } catch (error) {
    message = damaged(key, messageOf(error)).message
  }
  // The archive cannot be read, so the copy of the metadata is all there is.
  const copy = await copiedMetadata(storage, haltId)
  if (stored === undefined && copy === undefined) throw noDump(storage, haltId)
  const metadata = copy instanceof Error ? undefined : copy
  const code = stored === undefined ? 'archive-missing' : 'archive-damaged'
  const faults = [{ level: 'fault', code, key, message } as const]
  return { haltId, state: 'damaged', ...known({ metadata }), parts: new Map(), faults }
}

/** Returns the metadata stored next to an archive, undefined if there is none, or the error that it cannot be read. */
async function copiedMetadata(storage: Storage, haltId: string): Promise<DumpMetadata | Error | undefined> {
  const decode = (key: string, bytes: Uint8Array) => metadataFrom(key, bytes, haltId)
  return await getDecoded(storage, keysOfDump(haltId).metadata, decode)
}

function metadataFrom(key: string, bytes: Uint8Array, haltId: string): DumpMetadata {
  const metadata = decodeJson(key, bytes, dumpMetadataSchema)
  if (metadata.haltId !== haltId) throw damaged(key, `it is that of dump ${metadata.haltId}`)
  return metadata
}

function noDump({ name }: Storage, haltId: string): TenfoldError {
  return new TenfoldError('no-dump', `There is no halt dump ${haltId} in ${name}; list them with listDumps.`)
}

async function openArchive(bytes: Uint8Array, name: string, haltId: string): Promise<HaltDump> {
  const parts = await unpackDump(bytes)
  const metadata = metadataFrom(name, parts.get(dumpPaths.metadata) ?? new Uint8Array(), haltId)
  return { haltId, state: metadata.state, metadata, parts, faults: [] }
}

/**
 * Packs a dump as a `.tar.gz` for {@link openExportedDump}. Throws {@link TenfoldError} `no-dump` if the dump has no
 * parts.
 */
export async function exportDump({ haltId, parts, faults }: HaltDump): Promise<Uint8Array> {
  if (parts.size > 0) return await packDump(haltId, parts)
  const reasons = faults.map(({ message }) => message).join('; ')
  throw new TenfoldError('no-dump', `The halt dump ${haltId} has no parts to export: ${reasons}.`)
}

/** Opens a file of {@link exportDump}. Throws {@link TenfoldError} `no-dump` if there is no dump at the path. */
export async function openExportedDump(path: string): Promise<HaltDump> {
  try {
    const bytes = await readRegularFile(path, { maxBytes: maxDumpBytes })
    const head = (await unpackDump(bytes)).get(dumpPaths.metadata)
    if (head === undefined) throw new Error('it has no metadata.json')
    const { haltId } = json.fields(json.parse(Buffer.from(head).toString()))
    if (typeof haltId !== 'string' || !haltIdPattern.test(haltId))
      throw new Error(`its metadata.json names no haltId. ${otherTool}`)
    return await openArchive(bytes, path, haltId)
  } catch (cause) {
    const isFolder = errorCode(cause) === 'EINVAL'
    const message = isGone(cause)
      ? `There is no exported halt dump ${path}.`
      : `${path} is not an exported halt dump: ${isFolder ? `it is no file. ${otherTool}` : messageOf(cause)}.`
    throw new TenfoldError('no-dump', message, { cause })
  }
}

const otherTool = 'If another tool wrote it, import it with importDump'

export function readFileManifest({ haltId, parts }: HaltDump): FileManifest | undefined {
  const bytes = parts.get(dumpPaths.files)
  return bytes && decodeJson(`${haltId}/${dumpPaths.files}`, bytes, fileManifestSchema)
}

/** Returns the content of a part, or of a sandbox file that is stored whole; undefined if the dump has neither. */
export async function readDumpedFile({ parts }: HaltDump, path: string): Promise<Uint8Array | undefined> {
  return parts.get(path) ?? parts.get(`${dumpPaths.snapshots}/${path}`)
}

/** A dump in a listing. */
export interface DumpEntry extends Pick<HaltDump, 'haltId' | 'state' | 'metadata'> {
  /** Size of the archive. */
  readonly size?: number
}

/** Selects the dumps to list. */
export interface DumpFilter {
  /** Only dumps of this task. */
  readonly taskId?: string | undefined
  /** Only dumps of this project. */
  readonly projectId?: string | undefined
  /** Maximum number of dumps, the newest first. */
  readonly limit?: number | undefined
}

export async function haltIds(storage: Storage): Promise<string[]> {
  return [...(await archiveSizes(storage)).keys()]
}

async function archiveSizes(storage: Storage): Promise<Map<string, number | undefined>> {
  const sizes = new Map<string, number | undefined>()
  for await (const { key, size } of storage.list(dumpsPrefix)) {
    const id = haltIdOfKey(key)
    if (id !== undefined) sizes.set(id, key.endsWith('.json') ? sizes.get(id) : size)
  }
  return new Map([...sizes].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the dumps of a storage, newest first. Throws {@link StorageError}. */
export async function listDumps(storage: Storage, filter: DumpFilter = {}): Promise<DumpEntry[]> {
  const { taskId, projectId, limit = Number.POSITIVE_INFINITY } = filter
  const entries: DumpEntry[] = []
  for (const [haltId, size] of [...(await archiveSizes(storage))].reverse()) {
    if (entries.length >= limit) break
    if (taskId !== undefined && !mayBeOfTask(haltId, taskId)) continue
    const copy = size === undefined ? undefined : await copiedMetadata(storage, haltId)
    const isRead = copy !== undefined && !(copy instanceof Error)
    const { state, metadata } = isRead ? { ...copy, metadata: copy } : await loadDump(storage, haltId)
    if (taskId !== undefined && metadata?.taskId !== taskId) continue
    if (projectId !== undefined && metadata?.projectId !== projectId) continue
    entries.push({ haltId, state, ...known({ metadata, size }) })
  }
  return entries
}

/** Result of a deletion. */
export interface DeletedDump {
  /** Deleted keys. */
  readonly deleted: readonly string[]
}

/** Deletes a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function deleteDump(storage: Storage, haltId: string): Promise<DeletedDump> {
  const { archive, metadata } = keysOfDump(haltId)
  const stored = new Set<string>()
  for await (const { key } of storage.list(`${dumpsPrefix}${haltId}.`, { sizes: false })) stored.add(key)
  // The archive is deleted last: until then the dump is complete and can be deleted again.
  const deleted = [metadata, archive].filter((key) => stored.has(key))
  if (deleted.length === 0) throw noDump(storage, haltId)
  for (const key of deleted) await storage.delete(key)
  return { deleted }
}

/**
 * Deletes the halt dumps that the policy does not keep, counted per task. Returns them, oldest first. Throws {@link
 * TenfoldError} `bad-policy`, and {@link StorageError} if the storage fails.
 */
export async function pruneDumps(storage: Storage, policy: DeletePolicy): Promise<DumpEntry[]> {
  assertPolicy(policy)
  const chosen = beyondPolicy((await listDumps(storage)).reverse(), policy, {
    timeOf: ({ haltId }) => createdAtOf(haltId),
    groupOf: ({ metadata }) => metadata?.taskId ?? '',
  })
  for (const { haltId } of policy.dryRun ? [] : chosen) {
    policy.signal?.throwIfAborted()
    await deleteDump(storage, haltId)
  }
  return chosen
}

/** Result of checking a dump. */
export interface DumpReport extends Pick<HaltDump, 'haltId' | 'state'> {
  /** True if no finding is a fault. */
  readonly ok: boolean
  /** Number of parts. */
  readonly parts: number
  /** Decompressed size of all parts. */
  readonly bytes: number
  /** Faults and warnings; empty if there are none. */
  readonly findings: readonly DumpFinding[]
}

/** Lists the problems of a dump: faults of stored objects, and warnings for parts that could not be dumped. */
export async function verifyDump({ haltId, state, metadata, parts, faults }: HaltDump): Promise<DumpReport> {
  const lost = (metadata?.missing ?? []).filter(({ code }) => code === 'failed' || code === 'too-large')
  const warnings = lost.map(({ path, reason }): DumpFinding => {
    const message = `${path} was not dumped: ${reason}`
    return { level: 'warning', code: 'not-dumped', key: `${dumpsPrefix}${haltId}/${path}`, message }
  })
  return {
    haltId,
    ok: faults.length === 0,
    state,
    parts: parts.size,
    bytes: [...parts.values()].reduce((sum, { byteLength }) => sum + byteLength, 0),
    findings: [...faults, ...warnings],
  }
}
