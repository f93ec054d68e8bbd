import { createdAtOf } from '../bundle/bundle-id.ts'
import { StorageError } from '../errors.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { assertPolicy, beyondPolicy, type DeletePolicy } from '../store/prune/choose-pruned.ts'
import { type DumpPlace, dumpKey, dumpPaths, dumpsPrefix, isHaltId, mayBeOfTask } from './dump-keys.ts'
import type { DumpMetadata } from './dump-schema.ts'
import { intact, loadDump, pathsOf, readHeads, readPart } from './read-dump.ts'

/** A dump in a listing. */
export interface DumpEntry {
  /** Sorts by time. */
  readonly haltId: string
  /** `damaged`: neither metadata nor manifest can be read. */
  readonly state: 'complete' | 'partial' | 'incomplete' | 'damaged'
  /** Absent if it is missing or damaged. */
  readonly metadata?: DumpMetadata
  /** Bytes of all parts; absent without a manifest. */
  readonly size?: number
}

/** Selects the dumps to list. */
export interface DumpFilter extends DumpPlace {
  /** Only dumps of this task. */
  readonly taskId?: string | undefined
  /** Only dumps of this project. */
  readonly projectId?: string | undefined
  /** Only the newest ones, this many. */
  readonly limit?: number | undefined
}

/** Returns the ids of all dumps of a storage that have a manifest or metadata, oldest first. */
export async function haltIds(storage: Storage, place: DumpPlace = {}): Promise<string[]> {
  const prefix = dumpsPrefix(place)
  const ids = new Set<string>()
  for await (const { key } of storage.list(prefix)) {
    const [id = '', path, ...rest] = key.slice(prefix.length).split('/')
    const isHead = rest.length === 0 && (path === dumpPaths.manifest || path === dumpPaths.metadata)
    if (isHaltId(id) && isHead) ids.add(id)
  }
  return [...ids].sort()
}

/** Returns the dumps of a storage, newest first. Throws {@link StorageError}. */
export async function listDumps(storage: Storage, filter: DumpFilter = {}): Promise<DumpEntry[]> {
  const { taskId, projectId, limit = Number.POSITIVE_INFINITY } = filter
  const entries: DumpEntry[] = []
  for (const haltId of (await haltIds(storage, filter)).reverse()) {
    if (entries.length >= limit) break
    if (taskId !== undefined && !mayBeOfTask(haltId, taskId)) continue
    const heads = await readHeads(storage, haltId, filter)
    const [manifest, metadata] = [intact(heads.manifest), intact(heads.metadata)]
    if (taskId !== undefined && metadata?.taskId !== taskId) continue
    if (projectId !== undefined && metadata?.projectId !== projectId) continue
    entries.push({
      haltId,
      state: manifest?.state ?? (metadata === undefined ? 'damaged' : 'incomplete'),
      ...(metadata !== undefined && { metadata }),
      ...(manifest !== undefined && { size: manifest.parts.reduce((sum, part) => sum + part.size, 0) }),
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
export async function deleteDump(
  storage: Storage,
  haltId: string,
  place: DumpPlace = {},
): Promise<DeletedDump> {
  await loadDump(storage, haltId, place)
  // The manifest first and the metadata last: until the end it is listed, as incomplete, and can be deleted again.
  const rank = (path: string): number =>
    path === dumpPaths.manifest ? 0 : path === dumpPaths.metadata ? 2 : 1
  const paths = (await pathsOf(storage, haltId, place)).sort((a, b) => rank(a) - rank(b))
  const deleted = paths.map((path) => dumpKey(place, haltId, path))
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

/** Something wrong in a dump. A fault means that something is lost or cannot be trusted. */
export interface DumpFinding {
  /** A `fault` makes the dump unusable in part. */
  readonly level: 'fault' | 'warning'
  /** What is wrong, for programs. */
  readonly code:
    | 'manifest-missing'
    | 'manifest-damaged'
    | 'metadata-damaged'
    | 'part-missing'
    | 'part-damaged'
    | 'not-dumped'
    | 'extra'
  /** The object that it concerns. */
  readonly key: string
  /** What is wrong, for people. */
  readonly message: string
}

/** Result of checking a dump. */
export interface DumpReport {
  /** The dump that was checked. */
  readonly haltId: string
  /** True if there is no fault. */
  readonly ok: boolean
  /** `partial`: parts could not be collected; `incomplete`: the dump itself was interrupted. */
  readonly state: 'complete' | 'partial' | 'incomplete'
  /** Number of intact parts, and their bytes. */
  readonly parts: number
  /** Size of all parts as stored. */
  readonly bytes: number
  /** What is wrong with it. */
  readonly findings: readonly DumpFinding[]
}

/**
 * Checks that a dump is complete and that each part matches the manifest. Parts that were not dumped, or that no
 * manifest names, are warnings. Throws {@link TenfoldError} `no-dump`, and {@link StorageError} if the storage fails.
 */
export async function verifyDump(
  storage: Storage,
  haltId: string,
  place: DumpPlace = {},
): Promise<DumpReport> {
  const { manifest, state } = await loadDump(storage, haltId, place)
  const heads = await readHeads(storage, haltId, place)
  const findings: DumpFinding[] = []
  const add = (code: DumpFinding['code'], path: string, message: string): void => {
    const level = code === 'not-dumped' || code === 'extra' ? 'warning' : 'fault'
    findings.push({ level, code, key: dumpKey(place, haltId, path), message })
  }
  const key = dumpKey(place, haltId, dumpPaths.manifest)
  if (heads.manifest === undefined)
    add(
      'manifest-missing',
      dumpPaths.manifest,
      `${key} is missing: the dump was cut off, or is being written; if nobody writes it, delete it`,
    )
  if (heads.manifest instanceof Error) add('manifest-damaged', dumpPaths.manifest, heads.manifest.message)
  if (heads.metadata instanceof Error) add('metadata-damaged', dumpPaths.metadata, heads.metadata.message)
  const { parts = [], missing = [] } = manifest ?? {}
  const paths = await pathsOf(storage, haltId, place)
  const read = await inParallel(parts, 4, async (part) => {
    try {
      return (await readPart(storage, haltId, part, place)).byteLength
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      add(paths.includes(part.path) ? 'part-damaged' : 'part-missing', part.path, error.message)
      return undefined
    }
  })
  const sizes = read.filter((size) => size !== undefined)
  for (const { path, code, reason } of missing)
    if (code === 'failed' || code === 'too-large')
      add('not-dumped', path, `${path} was not dumped: ${reason}`)
  const own = new Set<string>([dumpPaths.manifest, ...parts.map(({ path }) => path)])
  for (const path of manifest === undefined ? [] : paths)
    if (!own.has(path))
      add('extra', path, `${dumpKey(place, haltId, path)} is in no manifest: it is not part of the dump`)
  return {
    haltId,
    ok: findings.every(({ level }) => level === 'warning'),
    state,
    parts: sizes.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    findings: findings.sort((a, b) => (`${a.level} ${a.key}` < `${b.level} ${b.key}` ? -1 : 1)),
  }
}
