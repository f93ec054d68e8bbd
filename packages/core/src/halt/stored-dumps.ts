import { createdAtOf } from '../bundle/bundle-id.ts'
import type { Storage } from '../storage/storage.ts'
import { assertPolicy, beyondPolicy, type DeletePolicy } from '../store/prune/choose-pruned.ts'
import { type DumpPlace, dumpKey, dumpPaths, mayBeOfTask } from './dump-keys.ts'
import type { DumpMetadata } from './dump-schema.ts'
import { haltIds, loadDump, readHeads } from './read-dump.ts'

/** A dump in a listing. */
export interface DumpEntry {
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
  readonly taskId?: string | undefined
  readonly projectId?: string | undefined
  /** Only the newest ones, this many. */
  readonly limit?: number | undefined
}

/** Returns the dumps of a storage, newest first. Throws {@link StorageError}. */
export async function listDumps(storage: Storage, filter: DumpFilter = {}): Promise<DumpEntry[]> {
  const { taskId, projectId, limit = Number.POSITIVE_INFINITY } = filter
  const entries: DumpEntry[] = []
  for (const haltId of (await haltIds(storage, filter)).reverse()) {
    if (entries.length >= limit) break
    if (taskId !== undefined && !mayBeOfTask(haltId, taskId)) continue
    const { manifest, metadata } = await readHeads(storage, haltId, filter)
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
  readonly deleted: readonly string[]
}

/** Deletes a dump. Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}. */
export async function deleteDump(
  storage: Storage,
  haltId: string,
  place: DumpPlace = {},
): Promise<DeletedDump> {
  await loadDump(storage, haltId, place)
  const [first, last] = [dumpPaths.manifest, dumpPaths.metadata].map((path) => dumpKey(place, haltId, path))
  const keys: string[] = []
  for await (const { key } of storage.list(dumpKey(place, haltId, ''))) keys.push(key)
  // The manifest first and the metadata last: until the end it is listed, as incomplete, and can be deleted again.
  const rankOf = (key: string): number => (key === first ? 0 : key === last ? 2 : 1)
  keys.sort((a, b) => rankOf(a) - rankOf(b))
  for (const key of keys) await storage.delete(key)
  return { deleted: keys }
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
