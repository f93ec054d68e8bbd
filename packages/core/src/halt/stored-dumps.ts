import { createdAtOf } from '../bundle/bundle-id.ts'
import { errorCode, messageOf, TenfoldError } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, decodeJson, decodeOrFault } from '../storage/stored-json.ts'
import { assertPolicy, beyondPolicy, type DeletePolicy } from '../store/prune/choose-pruned.ts'
import { type DumpParts, maxDumpBytes, packDump, unpackDump } from './dump-archive.ts'
import { dumpPaths, dumpsPrefix, haltIdOfKey, haltIdPattern, keysOfDump, mayBeOfTask } from './dump-keys.ts'
import {
  type DumpMetadata,
  dumpMetadataSchema,
  type FileManifest,
  fileManifestSchema,
} from './dump-schema.ts'
import { isGone, sha256Of } from './files/found-file.ts'

/** Something wrong in a dump. A fault means that something is lost or cannot be trusted. */
export interface DumpFinding {
  /** A `fault` makes the dump unusable in part. */
  readonly level: 'fault' | 'warning'
  /** What is wrong, for programs. */
  readonly code: 'archive-missing' | 'archive-damaged' | 'metadata-damaged' | 'not-dumped'
  /** The object or the part that it concerns. */
  readonly key: string
  /** What is wrong, for people. */
  readonly message: string
}

/** A dump that was read. */
export interface HaltDump {
  /** Id in the store. */
  readonly haltId: string
  /** `incomplete`: it was cut off, and has no parts; `damaged`: its parts cannot be read. */
  readonly state: 'complete' | 'partial' | 'incomplete' | 'damaged'
  /** Absent if it is missing or damaged. */
  readonly metadata?: DumpMetadata
  /** Content of its parts, by path. */
  readonly parts: DumpParts
  /** What is wrong with what is stored. */
  readonly faults: readonly DumpFinding[]
}

function metadataFrom(key: string, bytes: Uint8Array, haltId: string): DumpMetadata {
  const metadata = decodeJson(key, bytes, dumpMetadataSchema)
  if (metadata.haltId !== haltId) throw damaged(key, `it is that of dump ${metadata.haltId}`)
  return metadata
}

/** Loads a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function loadDump(storage: Storage, haltId: string): Promise<HaltDump> {
  const keys = keysOfDump(haltId)
  const [head, archive] = await Promise.all([storage.get(keys.metadata), storage.get(keys.archive)])
  if (head === undefined && archive === undefined) throw noDump(storage, haltId)
  const faults: DumpFinding[] = []
  const fault = (code: DumpFinding['code'], key: string, message: string): undefined =>
    void faults.push({ level: 'fault', code, key, message })
  const read = decodeOrFault(() => {
    if (head === undefined) throw damaged(keys.metadata, 'it is missing')
    return metadataFrom(keys.metadata, head.bytes, haltId)
  })
  const metadata = read instanceof Error ? fault('metadata-damaged', keys.metadata, read.message) : read
  if (archive === undefined) {
    const reason = 'the dump was cut off, or is being written; if nobody writes it, delete it'
    fault('archive-missing', keys.archive, `${keys.archive} is missing: ${reason}`)
    return { haltId, state: 'incomplete', ...known({ metadata }), parts: new Map(), faults }
  }
  try {
    if (metadata?.archive !== undefined && metadata.archive.sha256 !== sha256Of(archive.bytes))
      throw new Error('it has another digest than when it was written')
    return { ...(await openArchive(archive.bytes, keys.archive, haltId)), faults }
  } catch (error) {
    fault('archive-damaged', keys.archive, damaged(keys.archive, messageOf(error)).message)
    return { haltId, state: 'damaged', ...known({ metadata }), parts: new Map(), faults }
  }
}

function noDump({ name }: Storage, haltId: string): TenfoldError {
  return new TenfoldError('no-dump', `There is no halt dump ${haltId} in ${name}; list them with listDumps.`)
}

async function openArchive(bytes: Uint8Array, name: string, haltId: string): Promise<HaltDump> {
  const parts = await unpackDump(bytes)
  const metadata = metadataFrom(name, parts.get(dumpPaths.metadata) ?? new Uint8Array(), haltId)
  const state = metadata.state === 'writing' ? 'damaged' : metadata.state
  return { haltId, state, metadata, parts, faults: [] }
}

/** Packs a dump as a `.tar.gz` that {@link openExportedDump} opens. Throws {@link TenfoldError} `no-dump` if it has no parts. */
export async function exportDump({ haltId, parts, faults }: HaltDump): Promise<Uint8Array> {
  if (parts.size > 0) return await packDump(haltId, parts)
  const reasons = faults.map(({ message }) => message).join('; ')
  throw new TenfoldError('no-dump', `The halt dump ${haltId} has no parts to export: ${reasons}.`)
}

/** Opens what {@link exportDump} packed. Throws {@link TenfoldError} `no-dump` if there is no dump at the path. */
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

/** Returns the file manifest of a dump, undefined if it has none. Throws {@link StorageError} if it is damaged. */
export function readFileManifest({ haltId, parts }: HaltDump): FileManifest | undefined {
  const bytes = parts.get(dumpPaths.files)
  return bytes && decodeJson(`${haltId}/${dumpPaths.files}`, bytes, fileManifestSchema)
}

/** Returns the content of a part, or of a file of the sandbox that is stored whole; undefined if the dump has neither. */
export async function readDumpedFile({ parts }: HaltDump, path: string): Promise<Uint8Array | undefined> {
  return parts.get(path) ?? parts.get(`${dumpPaths.snapshots}/${path}`)
}

/** A dump in a listing. */
export interface DumpEntry {
  /** Sorts by time. */
  readonly haltId: string
  /** `damaged`: its metadata cannot be read. */
  readonly state: 'complete' | 'partial' | 'incomplete' | 'damaged'
  /** Absent if it is missing or damaged. */
  readonly metadata?: DumpMetadata
  /** Bytes of its archive. */
  readonly size?: number
}

/** Selects the dumps to list. */
export interface DumpFilter {
  /** Only dumps of this task. */
  readonly taskId?: string | undefined
  /** Only dumps of this project. */
  readonly projectId?: string | undefined
  /** Only the newest ones, this many. */
  readonly limit?: number | undefined
}

/** Returns the ids of all dumps of a storage, oldest first. */
export async function haltIds(storage: Storage): Promise<string[]> {
  const ids = new Set<string>()
  for await (const { key } of storage.list(dumpsPrefix)) {
    const id = haltIdOfKey(key)
    if (id !== undefined) ids.add(id)
  }
  return [...ids].sort()
}

/** Returns the dumps of a storage, newest first. Throws {@link StorageError}. */
export async function listDumps(storage: Storage, filter: DumpFilter = {}): Promise<DumpEntry[]> {
  const { taskId, projectId, limit = Number.POSITIVE_INFINITY } = filter
  const entries: DumpEntry[] = []
  for (const haltId of (await haltIds(storage)).reverse()) {
    if (entries.length >= limit) break
    if (taskId !== undefined && !mayBeOfTask(haltId, taskId)) continue
    const key = keysOfDump(haltId).metadata
    const found = await storage.get(key)
    const read = found && decodeOrFault(() => metadataFrom(key, found.bytes, haltId))
    const metadata = read instanceof Error ? undefined : read
    if (taskId !== undefined && metadata?.taskId !== taskId) continue
    if (projectId !== undefined && metadata?.projectId !== projectId) continue
    const { state = 'damaged', archive } = metadata ?? {}
    entries.push({
      haltId,
      state: state === 'writing' ? 'incomplete' : state,
      ...known({ metadata, size: archive?.size }),
    })
  }
  return entries
}

/** Result of a deletion. */
export interface DeletedDump {
  /** Keys that are gone. */
  readonly deleted: readonly string[]
}

/** Deletes a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function deleteDump(storage: Storage, haltId: string): Promise<DeletedDump> {
  const { archive, metadata } = keysOfDump(haltId)
  const stored = new Set<string>()
  for await (const { key } of storage.list(`${dumpsPrefix}${haltId}.`)) stored.add(key)
  // The metadata last: until then it is listed, and can be deleted again.
  const deleted = [archive, metadata].filter((key) => stored.has(key))
  if (deleted.length === 0) throw noDump(storage, haltId)
  for (const key of deleted) await storage.delete(key)
  return { deleted }
}

/**
 * Deletes halt dumps that the policy lets go, counted for each task. Returns them, oldest first. Throws
 * {@link TenfoldError} `bad-policy`, and {@link StorageError} if the storage fails.
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
export interface DumpReport {
  /** The dump that was checked. */
  readonly haltId: string
  /** True if there is no fault. */
  readonly ok: boolean
  /** `partial`: parts could not be collected; `incomplete`: the dump itself was interrupted. */
  readonly state: HaltDump['state']
  /** Number of parts, and their bytes. */
  readonly parts: number
  /** Size of all parts, unpacked. */
  readonly bytes: number
  /** What is wrong with it. */
  readonly findings: readonly DumpFinding[]
}

/** Says what is wrong with a dump: faults of what is stored, and warnings for what could not be dumped. */
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
