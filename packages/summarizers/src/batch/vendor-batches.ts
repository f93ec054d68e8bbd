import { TenfoldError } from '@tenfold/core'
import { sleep } from '@tenfold/core/internal/locks'
import type { ModelError, ModelRequest } from '../provider/model.ts'
import { BatchError, takenOver } from './batch-error.ts'
import { asFault, type Engine, pauseAfter, withRetries } from './engine.ts'
import { type Attempt, type BatchJob, canonicalHash, customIdOf, type Range } from './job.ts'
import { addAttempt, listJobs, listNames, putRow, readJob, updateAttempt } from './job-store.ts'
import type { BatchRequest, BatchRowError, SubmissionLookup, VendorBatch } from './provider.ts'

/** A request to send for a part of a session. */
export interface PendingRequest {
  readonly session: number
  readonly range: Range
  readonly repair: boolean
  readonly request: ModelRequest
}

/**
 * Settles attempts that were being submitted when a process ended. Returns a BatchError `batch-uncertain` for each
 * attempt whose outcome cannot be found out, unless the operator agreed to send it again.
 */
export async function reconcile(engine: Engine): Promise<TenfoldError[]> {
  const job = await readJob(engine)
  const faults: TenfoldError[] = []
  for (const attempt of job.attempts) {
    if (attempt.state !== 'submitting') continue
    const found = await findAttempt(engine, job, attempt)
    if (found.outcome === 'found') await confirm(engine, attempt, found.batch)
    else if (found.outcome === 'pending')
      engine.report({ step: 'unconfirmed', attempt: attempt.n, reason: found.reason })
    else if (found.outcome === 'none' || engine.resubmitUncertain)
      await updateAttempt(engine, attempt.n, 'submitting', { state: 'abandoned' })
    else faults.push(uncertain(job, attempt, found.reason))
  }
  return faults
}

function uncertain(job: BatchJob, attempt: Attempt, reason: string): BatchError {
  return new BatchError(
    'batch-uncertain',
    `It is unknown whether ${job.provider} has the batch of ${attempt.requests.length} requests that was sent at ${attempt.at} (job ${job.job}): ${reason}. ` +
      'Look at the batches in the console of the provider. Run this again with resubmitUncertain to send them again; if that batch exists, both are billed.',
  )
}

/**
 * Searches for the batch of an attempt whose submission got no answer. A missing batch counts as absent only after
 * `settleMs`, because the vendor may still be processing the submission.
 */
async function findAttempt(engine: Engine, job: BatchJob, attempt: Attempt): Promise<SubmissionLookup> {
  const { provider, limits, signal } = engine
  if (job.keyFingerprint !== provider.keyFingerprint)
    return { outcome: 'uncertain', reason: 'the API key has changed and may not see that batch' }
  const wanted = {
    job: engine.job,
    attempt: attempt.n,
    customIds: attempt.requests.map(({ customId }) => customId),
    since: new Date(attempt.at),
    notThese: await knownBatches(engine, attempt.n),
  }
  const look = () => withRetries(engine, (options) => provider.find(wanted, options))
  const found = await look()
  if (found.outcome !== 'none') return found
  await sleep(limits.settleMs, signal)
  return await look()
}

/** Batches of all other attempts of jobs in the store, which the search for one attempt can skip. */
async function knownBatches({ storage, job }: Engine, attempt: number): Promise<Set<string>> {
  const known = new Set<string>()
  for (const other of await listJobs(storage))
    for (const { n, batchId } of (await readJob({ storage, job: other })).attempts)
      if (batchId !== undefined && !(other === job && n === attempt)) known.add(batchId)
  return known
}

/** Records the batch that an attempt created. */
async function confirm(engine: Engine, { n }: Attempt, batch: VendorBatch): Promise<void> {
  const { batchId, fileId, createdAt = new Date().toISOString(), expiresAt } = batch
  const change = { state: 'submitted', batchId, fileId, submittedAt: createdAt, expiresAt } as const
  await updateAttempt(engine, n, 'submitting', change)
  engine.report({ step: 'submitted', attempt: n, batchId })
}

/** Checks every batch at the vendor and stores the rows of those that ended. Returns the errors. */
export async function readRows(engine: Engine): Promise<TenfoldError[]> {
  const faults: TenfoldError[] = []
  for (const attempt of (await readJob(engine)).attempts) {
    if (attempt.state !== 'submitted') continue
    try {
      await readBatch(engine, attempt)
    } catch (error) {
      faults.push(asFault(error))
    }
  }
  return faults
}

async function readBatch(engine: Engine, { n, batchId = '', requests }: Attempt): Promise<void> {
  const missing = new Set(requests.map(({ customId }) => customId))
  for (const customId of await listNames(engine, 'results/')) missing.delete(customId)
  const before = missing.size
  const lost = await readInto(engine, batchId, missing)
  if (lost === 'running') return
  for (const customId of missing) await putRow(engine, { customId, error: lost })
  engine.report({ step: 'ended', batchId, rows: before - missing.size, missing: missing.size })
  await updateAttempt(engine, n, 'submitted', { state: 'ended', endedAt: new Date().toISOString() })
}

/**
 * Stores the rows of an ended batch and removes their custom ids from `missing`; returns why the other requests have no
 * row. Throws BatchError `batch-results-gone` if the vendor has deleted the rows, unless the operator agreed to
 * continue.
 */
async function readInto(
  engine: Engine,
  batchId: string,
  missing: Set<string>,
): Promise<BatchRowError | 'running'> {
  const unknown = (message: string) => ({ reason: 'unknown', retryable: true, message }) as const
  try {
    const batch = await withRetries(engine, (options) => engine.provider.status(batchId, options))
    if (batch.state === 'running') {
      const { requests, succeeded, failed } = batch
      engine.report({ step: 'running', batchId, requests, ended: succeeded + failed })
      return 'running'
    }
    if (batch.failure !== undefined) return batch.failure
    await download(engine, batchId, missing)
    return unknown('the provider gave no result for this request')
  } catch (error) {
    const gone = TenfoldError.isInstance(error) && error.code === 'batch-results-gone'
    if (!gone || !engine.resubmitUncertain) throw error
    return unknown(error.message)
  }
}

/** Downloads the rows again if one is missing or the connection broke off. Rows already stored are kept. */
async function download(engine: Engine, batchId: string, missing: Set<string>): Promise<void> {
  const { provider, signal, job } = engine
  const [some = ''] = missing
  const own = some.slice(0, some.indexOf('_') + 1)
  for (let attempt = 1, whole = 0; missing.size > 0 && whole < 2; attempt++) {
    let foreign = false
    try {
      for await (const row of provider.results(batchId, { signal })) {
        if (missing.has(row.customId)) await putRow(engine, row)
        foreign ||= !row.customId.startsWith(own)
        missing.delete(row.customId)
      }
      whole += 1
    } catch (error) {
      await pauseAfter(engine, error, attempt)
    }
    if (foreign)
      throw new BatchError(
        'batch-mismatch',
        `Batch ${batchId} contains requests that batch job ${job} did not send. None of its results were used.`,
      )
  }
}

/** Bytes of a request. Throws BatchError `batch-too-large` if it exceeds the limit of a batch. */
export function sizeOf(engine: Engine, row: BatchRequest, session: number): number {
  const size = engine.provider.size(row)
  const { maxBytes } = limitsOfBatch(engine)
  if (size <= maxBytes) return size
  throw new BatchError(
    'batch-too-large',
    `A request of session ${session} takes ${size} bytes, but a batch takes at most ${maxBytes}. Leave that session out.`,
  )
}

/** Limits of one batch: the lower of the vendor's and the caller's. */
function limitsOfBatch({ provider, limits }: Engine) {
  return {
    maxRequests: Math.min(provider.maxRequests, limits.maxRequests),
    maxBytes: Math.min(provider.maxBytes, limits.maxBytes),
  }
}

/** Sends requests in as few batches as the vendor's limits allow, and returns how many were sent. */
export async function sendRequests(engine: Engine, pending: AsyncIterable<PendingRequest>): Promise<number> {
  const job = await readJob(engine)
  const { maxRequests, maxBytes } = limitsOfBatch(engine)
  let n = job.attempts.length + 1
  let chunk: PendingRequest[] = []
  let bytes = 0
  let sent = 0

  function rowOf({ session, range, request }: PendingRequest): BatchRequest {
    return { customId: customIdOf(job.nonce, n, session, range), request }
  }

  async function flush(): Promise<void> {
    if (chunk.length === 0) return
    const rows = chunk.map(rowOf)
    const requests = chunk.map(({ session, range, request, repair }, index) => ({
      customId: rows[index]?.customId ?? '',
      session,
      ...range,
      hash: canonicalHash(request),
      ...(repair && { repair }),
    }))
    const attempt: Attempt = { n, state: 'submitting', at: new Date().toISOString(), requests }
    engine.signal.throwIfAborted()
    await addAttempt(engine, attempt)
    engine.report({ step: 'submitting', attempt: n, requests: rows.length })
    await submit(engine, job, attempt, rows)
    sent += rows.length
    n += 1
    chunk = []
    bytes = 0
  }

  for await (const next of pending) {
    const size = sizeOf(engine, rowOf(next), next.session)
    if (chunk.length >= maxRequests || bytes + size > maxBytes) await flush()
    chunk.push(next)
    bytes += size
  }
  await flush()
  return sent
}

/** Submits the batch of a recorded attempt. If the answer is lost, nothing is sent until the outcome is known. */
async function submit(
  engine: Engine,
  job: BatchJob,
  attempt: Attempt,
  rows: readonly BatchRequest[],
): Promise<void> {
  const { provider, signal, report } = engine
  const { n } = attempt
  for (let tries = 1; ; tries++) {
    const submission = await provider.submit(rows, { job: job.job, attempt: n, signal })
    if (submission.outcome === 'created') return await confirm(engine, attempt, submission.batch)
    const { error } = submission
    if (submission.outcome === 'unknown') {
      report({ step: 'unconfirmed', attempt: n, reason: error.message })
      const found = await findAttempt(engine, job, attempt)
      if (found.outcome === 'found') return await confirm(engine, attempt, found.batch)
      // The attempt stays `submitting`, and the next run searches again.
      if (found.outcome !== 'none') return
    }
    try {
      await pauseAfter(engine, error, tries)
    } catch (thrown) {
      throw thrown === error ? await refusal(engine, attempt, error) : thrown
    }
    // Another process may have taken over the job while this one waited, and sends the requests itself.
    const { attempts } = await readJob(engine)
    if (attempts.find((one) => one.n === n)?.state !== 'submitting') throw takenOver(job.job)
  }
}

/** Records that an attempt created no batch. */
async function refusal(engine: Engine, { n }: Attempt, error: ModelError): Promise<BatchError> {
  await updateAttempt(engine, n, 'submitting', { state: 'abandoned' })
  return new BatchError(
    'batch-refused',
    `${engine.provider.name} accepted no batch: ${error.message} Nothing was billed; run job ${engine.job} again when the problem is solved.`,
    { cause: error },
  )
}
