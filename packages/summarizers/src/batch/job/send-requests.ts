import type { ModelError, ModelRequest } from '../../provider/model.ts'
import { BatchError } from '../batch-error.ts'
import { type Attempt, canonicalHash, customIdOf, type Range } from '../store/batch-job.ts'
import { addAttempt, readJob, takenOver, updateAttempt } from '../store/job-store.ts'
import type { BatchRequest } from '../vendor/batch-provider.ts'
import { confirmAttempt } from './confirm-attempt.ts'
import type { Engine } from './engine.ts'
import { findAttempt } from './find-attempt.ts'
import { pause } from './retry.ts'

/** A request to send for a part of a session. */
export interface PendingRequest {
  readonly session: number
  readonly range: Range
  readonly repair: boolean
  readonly request: ModelRequest
}

/** Sends requests in as few batches as the vendor's limits allow, and returns how many were sent. */
export async function sendRequests(engine: Engine, pending: AsyncIterable<PendingRequest>): Promise<number> {
  const { nonce, attempts } = await readJob(engine.storage, engine.job)
  const { maxRequests, maxBytes } = limitsOfBatch(engine)
  let n = attempts.length + 1
  let chunk: { readonly row: BatchRequest; readonly of: PendingRequest }[] = []
  let bytes = 0
  let sent = 0

  async function flush(): Promise<void> {
    if (chunk.length === 0) return
    await sendAttempt(engine, n, chunk)
    sent += chunk.length
    n += 1
    chunk = []
    bytes = 0
  }

  for await (const of of pending) {
    const row = () => ({ customId: customIdOf(nonce, n, of.session, of.range), request: of.request })
    const size = sizeOf(engine, row(), of.session)
    if (chunk.length >= maxRequests || bytes + size > maxBytes) await flush()
    chunk.push({ row: row(), of })
    bytes += size
  }
  await flush()
  return sent
}

/** Limits of one batch: the lower of the vendor's and the caller's. */
function limitsOfBatch({ provider, limits }: Pick<Engine, 'provider' | 'limits'>) {
  return {
    maxRequests: Math.min(provider.maxRequests, limits.maxRequests),
    maxBytes: Math.min(provider.maxBytes, limits.maxBytes),
  }
}

/** Bytes that a request takes. Throws BatchError `batch-too-large` if they exceed the limit of a batch. */
export function sizeOf(
  engine: Pick<Engine, 'provider' | 'limits'>,
  row: BatchRequest,
  session: number,
): number {
  const size = engine.provider.size(row)
  const { maxBytes } = limitsOfBatch(engine)
  if (size <= maxBytes) return size
  throw new BatchError(
    'batch-too-large',
    `A request of session ${session} takes ${size} bytes, but a batch takes at most ${maxBytes}. Leave that session out.`,
  )
}

async function sendAttempt(
  engine: Engine,
  n: number,
  chunk: readonly { readonly row: BatchRequest; readonly of: PendingRequest }[],
): Promise<void> {
  const { storage, job, report } = engine
  const requests = chunk.map(({ row, of }) => ({
    customId: row.customId,
    session: of.session,
    ...of.range,
    hash: canonicalHash(of.request),
    ...(of.repair ? { repair: true as const } : {}),
  }))
  const attempt: Attempt = { n, state: 'submitting', at: new Date().toISOString(), requests }
  engine.signal.throwIfAborted()
  await addAttempt(storage, job, attempt)
  report({ step: 'submitting', attempt: n, requests: requests.length })
  await submit(
    engine,
    attempt,
    chunk.map(({ row }) => row),
  )
}

/** Creates the batch of a recorded attempt. If the answer is lost, nothing is sent until its outcome is known. */
async function submit(engine: Engine, attempt: Attempt, rows: readonly BatchRequest[]): Promise<void> {
  const { provider, job, limits, signal, report } = engine
  for (let attemptNumber = 1; ; attemptNumber++) {
    const submission = await provider.submit(rows, { job, attempt: attempt.n, signal })
    if (submission.outcome === 'created') return await confirmAttempt(engine, attempt, submission.batch)
    const { error } = submission
    if (submission.outcome === 'unknown') {
      report({ step: 'unconfirmed', attempt: attempt.n, reason: error.message })
      const finding = await findAttempt(engine, attempt)
      if (finding.outcome === 'found') return await confirmAttempt(engine, attempt, finding.batch)
      // The next run searches again; until then it stays `submitting`.
      if (finding.outcome !== 'none') return
    }
    if (!error.retryable || attemptNumber >= limits.tries) return await refused(engine, attempt, error)
    await pause(error, attemptNumber, { signal, pauseMs: limits.pauseMs, tries: limits.tries, report })
    await assertStillSubmitting(engine, attempt)
  }
}

/** Throws if another process, which sends the requests itself, took over the job while this one was suspended. */
async function assertStillSubmitting({ storage, job }: Engine, { n }: Attempt): Promise<void> {
  const { attempts } = await readJob(storage, job)
  if (attempts.find((attempt) => attempt.n === n)?.state !== 'submitting') throw takenOver(job)
}

async function refused(engine: Engine, attempt: Attempt, error: ModelError): Promise<never> {
  await updateAttempt(engine.storage, engine.job, attempt.n, 'submitting', { state: 'abandoned' })
  throw new BatchError(
    'batch-refused',
    `${engine.provider.name} accepted no batch: ${error.message} Nothing of it was billed; run job ${engine.job} again when that is solved.`,
    { cause: error },
  )
}
