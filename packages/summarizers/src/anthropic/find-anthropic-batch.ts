import type Anthropic from '@anthropic-ai/sdk'
import { TenfoldError } from '@tenfold/core/summarizer'
import type { SubmissionLookup, SubmissionQuery, VendorBatch } from '../batch/provider.ts'

type Batch = Anthropic.Messages.MessageBatch

/** What the search asks the API. */
export interface BatchSearch {
  /** All batches, the newest first. */
  readonly batches: AsyncIterable<Batch>
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
    if (own === true) return { outcome: 'found', batch: vendorBatch(batch) }
    if (own === undefined) uncertain ??= `batch ${batch.id} may be the one, but its results are deleted`
  }
  if (pending !== undefined) return { outcome: 'pending', reason: pending }
  return uncertain === undefined ? { outcome: 'none' } : { outcome: 'uncertain', reason: uncertain }
}

async function candidates(wanted: SubmissionQuery, search: BatchSearch): Promise<Batch[]> {
  const oldest = wanted.since.getTime() - skewMs
  const newest = wanted.since.getTime() + maxMs + skewMs
  const found: Batch[] = []
  for await (const batch of search.batches) {
    const made = Date.parse(batch.created_at)
    if (made < oldest) break
    if (made > newest || wanted.notThese.has(batch.id)) continue
    if (sizeOf(batch) === wanted.customIds.length) found.push(batch)
  }
  return found
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

/** The stored fields of a batch that was created. */
export function vendorBatch(batch: Anthropic.Messages.MessageBatch): VendorBatch {
  return { batchId: batch.id, createdAt: isoTime(batch.created_at), expiresAt: isoTime(batch.expires_at) }
}

/** Normalizes a time: the API varies in fractions of a second and in offsets. */
export function isoTime(time: string): string {
  return new Date(time).toISOString()
}
