import { createdAtOf } from '../bundle/bundle-id.ts'
import type { Storage } from '../storage/storage.ts'
import { assertPolicy, beyondPolicy, type DeletePolicy } from '../store/prune/choose-pruned.ts'
import { deleteDump } from './delete-dump.ts'
import { type DumpEntry, listDumps } from './list-dumps.ts'

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
