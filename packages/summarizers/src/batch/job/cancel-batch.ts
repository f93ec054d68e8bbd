import { withLease } from '../store/job-lease.ts'
import { readJob, updateJob } from '../store/job-store.ts'
import { withVendor } from '../vendor/vendor-errors.ts'
import { type EngineOptions, makeEngine } from './engine.ts'
import { reconcile } from './find-attempt.ts'
import { withRetries } from './retry.ts'

/**
 * Stops sending requests of a job and asks the vendor to end its batches. Finished requests are billed, and
 * `collectBatch` still collects them; the rest is left to its fallback. Throws BatchError `batch-missing`,
 * `batch-mismatch` or `batch-uncertain`.
 */
export async function cancelBatch(job: string, options: EngineOptions): Promise<void> {
  const engine = makeEngine(await readJob(options.store.storage, job), options)
  const { storage, limits, report, provider } = engine
  const canceledAt = new Date().toISOString()
  await updateJob(storage, job, (stored) => ({ ...stored, canceledAt: stored.canceledAt ?? canceledAt }))
  const lease = { signal: engine.signal, leaseMs: limits.leaseMs, wait: true }
  const work = async (signal: AbortSignal) => {
    const [fault] = await reconcile({ ...engine, signal }, await readJob(storage, job))
    for (const { state, batchId } of (await readJob(storage, job)).attempts) {
      if (state !== 'submitted' || batchId === undefined) continue
      const retries = { signal, pauseMs: limits.pauseMs, tries: limits.tries, report }
      await withRetries(() => provider.cancel(batchId, { signal }), retries)
    }
    if (fault !== undefined) throw fault
  }
  await withLease(storage, job, lease, (signal) => withVendor(job, () => work(signal)))
}
