import type Anthropic from '@anthropic-ai/sdk'
import { TenfoldError } from '@tenfold/core/summarizer'
import type { SubmissionLookup, SubmissionQuery, VendorBatch } from '../batch/vendor/batch-provider.ts'

type Batch = Anthropic.Messages.MessageBatch

/** The calls of the API that the search uses. */
export interface BatchSearch {
  /** A page of batches, newest first, that follows the batch `after`. */
  list(after: string | undefined): Promise<{ readonly batches: readonly Batch[]; readonly more: boolean }>
  results(batch: Batch): AsyncIterable<unknown>
}

/** How much the clocks of both sides may differ. */
const skewMs = 10 * 60_000

/** How long a submission may take, with all its tries: a batch made later is another one. */
const maxMs = 60 * 60_000

/**
 * Finds the batch of a submission among those that were created since then and have as many requests. Only the ids in
 * its results prove that it is the one, so the outcome is known only when it has ended.
 */
export async function findAnthropicBatch(
  wanted: SubmissionQuery,
  search: BatchSearch,
): Promise<SubmissionLookup> {
  const ids = new Set(wanted.customIds)
  let pending: string | undefined
  let uncertain: string | undefined
  for (const batch of await candidates(wanted, search)) {
    if (batch.processing_status !== 'ended') {
      pending ??= `batch ${batch.id} may be the one; that will be known when it has ended`
      continue
    }
    const own = await isOwn(batch, ids, search)
    if (own === true) return { outcome: 'found', batch: foundBatch(batch) }
    if (own === undefined) uncertain ??= `batch ${batch.id} may be the one, but its results are deleted`
  }
  if (pending !== undefined) return { outcome: 'pending', reason: pending }
  return uncertain === undefined ? { outcome: 'none' } : { outcome: 'uncertain', reason: uncertain }
}

async function candidates(wanted: SubmissionQuery, search: BatchSearch): Promise<Batch[]> {
  const oldest = wanted.since.getTime() - skewMs
  const newest = wanted.since.getTime() + maxMs + skewMs
  const found: Batch[] = []
  for (let after: string | undefined; ; ) {
    const { batches, more } = await search.list(after)
    for (const batch of batches) {
      // The list begins with the newest.
      const made = Date.parse(batch.created_at)
      if (made < oldest) return found
      if (made > newest || wanted.notThese.has(batch.id)) continue
      if (sizeOf(batch) === wanted.customIds.length) found.push(batch)
    }
    after = batches.at(-1)?.id
    if (!more || after === undefined) return found
  }
}

function sizeOf({ request_counts }: Batch): number {
  return Object.values(request_counts).reduce((sum, count) => sum + count, 0)
}

/** Undefined if there are no results to compare. */
async function isOwn(
  batch: Batch,
  ids: ReadonlySet<string>,
  search: BatchSearch,
): Promise<boolean | undefined> {
  try {
    for await (const line of search.results(batch)) {
      const id = typeof line === 'object' && line !== null && 'custom_id' in line ? line.custom_id : undefined
      return typeof id === 'string' && ids.has(id)
    }
    return undefined
  } catch (error) {
    if (TenfoldError.isInstance(error) && error.code === 'batch-results-gone') return undefined
    throw error
  }
}

function foundBatch({ id, created_at, expires_at }: Batch): VendorBatch {
  return {
    batchId: id,
    createdAt: new Date(created_at).toISOString(),
    expiresAt: new Date(expires_at).toISOString(),
  }
}
