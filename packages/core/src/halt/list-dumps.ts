import type { Storage } from '../storage/storage.ts'
import { type DumpPlace, mayBeOfTask } from './dump-keys.ts'
import type { DumpMetadata } from './dump-schema.ts'
import { haltIds, readManifest, readMetadata } from './read-dump.ts'

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
    const [manifest, metadata] = await Promise.all([
      readManifest(storage, haltId, filter),
      readMetadata(storage, haltId, filter),
    ])
    const known = metadata instanceof Error ? undefined : metadata
    if (taskId !== undefined && known?.taskId !== taskId) continue
    if (projectId !== undefined && known?.projectId !== projectId) continue
    const whole = manifest instanceof Error ? undefined : manifest
    entries.push({
      haltId,
      state: whole?.state ?? (known === undefined ? 'damaged' : 'incomplete'),
      ...(known !== undefined && { metadata: known }),
      ...(whole !== undefined && { size: whole.parts.reduce((sum, part) => sum + part.size, 0) }),
    })
  }
  return entries
}
