import { TenfoldError } from '@tenfold/core'
import { ModelError } from '../../provider/model.ts'
import { BatchError } from '../batch-error.ts'
import type { Attempt, BatchJob } from '../store/batch-job.ts'
import { listResults, putResult, updateAttempt } from '../store/job-store.ts'
import type { BatchRowError, BatchState } from '../vendor/batch-provider.ts'
import type { Engine } from './engine.ts'
import { asFault } from './fault.ts'
import { pause, withRetries } from './retry.ts'

/** Checks every batch at the vendor and stores the rows of those that ended. Returns the faults of each. */
export async function readRows(engine: Engine, job: BatchJob): Promise<TenfoldError[]> {
  const faults: TenfoldError[] = []
  for (const attempt of job.attempts) {
    if (attempt.state !== 'submitted') continue
    try {
      await readBatch(engine, attempt)
    } catch (error) {
      faults.push(asFault(error))
    }
  }
  return faults
}

async function readBatch(engine: Engine, attempt: Attempt): Promise<void> {
  const { storage, job, report } = engine
  const { batchId = '', requests } = attempt
  const missing = new Set(requests.map(({ customId }) => customId))
  for (const customId of await listResults(storage, job)) missing.delete(customId)
  const received = requests.length - missing.size
  const lost = await readInto(engine, batchId, missing)
  if (lost === 'running') return
  for (const customId of missing) await putResult(storage, job, { customId, error: lost })
  report({ step: 'ended', batchId, rows: requests.length - received - missing.size, missing: missing.size })
  await updateAttempt(storage, job, attempt.n, 'submitted', {
    state: 'ended',
    endedAt: new Date().toISOString(),
  })
}

/**
 * Stores the rows of a batch that has ended and removes their custom ids from `missing`; returns why the others have
 * none. Throws BatchError `batch-results-gone` if the vendor has deleted them, unless the operator agreed to continue.
 */
async function readInto(
  engine: Engine,
  batchId: string,
  missing: Set<string>,
): Promise<BatchRowError | 'running'> {
  try {
    const state = await stateOf(engine, batchId)
    if (state.state === 'running') return 'running'
    if (state.failure !== undefined) return state.failure
    await download(engine, batchId, missing)
    return { reason: 'unknown', retryable: true, message: 'the provider gave no result for this request' }
  } catch (error) {
    const gone = TenfoldError.isInstance(error) && error.code === 'batch-results-gone'
    if (!gone || !engine.resubmitUncertain) throw error
    return { reason: 'unknown', retryable: true, message: error.message }
  }
}

async function stateOf(engine: Engine, batchId: string): Promise<BatchState> {
  const { provider, signal, limits, report } = engine
  const retries = { signal, pauseMs: limits.pauseMs, tries: limits.tries, report }
  const state = await withRetries(() => provider.status(batchId, { signal }), retries)
  if (state.state === 'running')
    report({ step: 'running', batchId, requests: state.requests, ended: state.succeeded + state.failed })
  return state
}

/** Reads the rows again if one is missing or the connection broke off: stored rows are not lost. */
async function download(engine: Engine, batchId: string, missing: Set<string>): Promise<void> {
  const { provider, storage, job, signal, limits, report } = engine
  let whole = 0
  for (let attempt = 1; missing.size > 0 && whole < 2; attempt++) {
    let foreign = 0
    try {
      for await (const row of provider.results(batchId, { signal })) {
        if (missing.has(row.customId)) await putResult(storage, job, row)
        else if (!row.customId.startsWith(noncePrefix(missing))) foreign += 1
        missing.delete(row.customId)
      }
      whole += 1
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError && error.retryable) || attempt >= limits.tries) throw error
      await pause(error, attempt, { signal, pauseMs: limits.pauseMs, tries: limits.tries, report })
    }
    if (foreign > 0)
      throw new BatchError(
        'batch-mismatch',
        `Batch ${batchId} holds requests that batch job ${job} did not send. Nothing of it was used.`,
      )
  }
}

function noncePrefix(ids: ReadonlySet<string>): string {
  for (const id of ids) return id.slice(0, id.indexOf('_') + 1)
  return ''
}
