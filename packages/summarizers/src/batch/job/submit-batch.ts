import { randomBytes, randomInt } from 'node:crypto'
import { tiktokenCounter } from '@tenfold/core'
import { ModelError } from '../../provider/model.ts'
import { BatchError } from '../batch-error.ts'
import { type BatchJob, customIdOf, type JobSession } from '../store/batch-job.ts'
import { jobPrefix } from '../store/job-keys.ts'
import { withLease } from '../store/job-lease.ts'
import { createJob, readJob } from '../store/job-store.ts'
import type { BatchRequest } from '../vendor/batch-provider.ts'
import { advanceJob } from './advance-job.ts'
import { checkBatchOptions, type Engine, type EngineOptions, makeEngine } from './engine.ts'
import { type BatchBundleOptions, jobOf } from './job-of.ts'
import { withRetries } from './retry.ts'
import { sizeOf } from './send-requests.ts'
import { modelRequestOf } from './session-work.ts'
import { type BatchSession, jobInMaking, type StoredWork, storeSession } from './store-session.ts'

export interface SubmitBatchOptions extends EngineOptions, BatchBundleOptions {
  /** What to summarize, read and redacted. */
  readonly sessions: AsyncIterable<BatchSession> | Iterable<BatchSession>
  /**
   * Have the vendor check the first request before anything is sent, if that is free: Anthropic checks the
   * requests of a batch only when it runs them. @default true
   */
  readonly check?: boolean | undefined
}

/** A batch job that was sent, with what is known of it at once. */
export interface SubmittedBatch {
  readonly job: string
  readonly sessions: number
  readonly requests: number
  /** Summed over all requests. */
  readonly estimate: { readonly inputTokens: number; readonly maxOutputTokens: number }
  /** Batches at the vendor. */
  readonly batches: readonly string[]
  /** Batches whose submission got no answer; whether they exist is known when the vendor has ended them. */
  readonly unconfirmed: number
}

/**
 * Stores the sessions as a job, then sends all requests in as few batches as the vendor's limits allow. If anything
 * fails after the job is stored, {@link collectBatch} continues from there. Throws TypeError or RangeError for invalid
 * options before a session is read; what `admit` throws, with nothing sent or kept; and BatchError `batch-refused` if
 * the vendor accepts no batch and `batch-call-failed` if it is not reached.
 */
export async function submitBatch(options: SubmitBatchOptions): Promise<SubmittedBatch> {
  checkBatchOptions(options)
  const { store, provider, signal } = options
  const nonce = newNonce()
  const createdAt = new Date().toISOString()
  const id = `${createdAt.replace(/[-:]|\.\d+/g, '')}-${nonce}`
  const draft = jobOf(id, nonce, createdAt, options)
  const engine = makeEngine(draft, { ...options, counter: options.counter ?? tiktokenCounter() })
  const making = jobInMaking(draft, engine, options)
  const estimate = { inputTokens: 0, maxOutputTokens: 0 }
  const sessions: JobSession[] = []
  let requests = 0
  let first: BatchRequest | undefined
  try {
    for await (const one of options.sessions) {
      signal?.throwIfAborted()
      const work = await storeSession(making, one, sessions.length + 1)
      const { n, name, parts } = work.entry
      for (const row of requestsOf(engine, draft, work)) {
        first ??= row
        const { inputTokens, maxOutputTokens } = row.request
        options.admit?.({
          summarizer: provider.name,
          model: provider.model,
          inputTokens,
          maxOutputTokens,
          tier: 'batch',
        })
        estimate.inputTokens += inputTokens
        estimate.maxOutputTokens += maxOutputTokens
      }
      sessions.push(work.entry)
      requests += parts.length
      engine.report({ step: 'session-stored', n, name, requests: parts.length })
    }
    if (first !== undefined && (options.check ?? true)) await checkRequest(engine, first)
  } catch (error) {
    // Objects that cannot be deleted belong to no job and do no harm.
    await deleteObjects(options, id).catch(() => undefined)
    throw error
  }
  if (sessions.length === 0) throw new RangeError('expected at least one session, got none')
  await createJob(store.storage, { ...draft, sessions })
  engine.report({ step: 'job-stored', job: id, requests })
  const lease = { signal: engine.signal, leaseMs: engine.limits.leaseMs, wait: true }
  await withLease(store.storage, id, lease, (inner) => advanceJob({ ...engine, signal: inner }))
  const { attempts } = await readJob(store.storage, id)
  return {
    job: id,
    sessions: sessions.length,
    requests,
    estimate,
    batches: attempts.flatMap(({ batchId }) => (batchId === undefined ? [] : [batchId])),
    unconfirmed: attempts.filter(({ state }) => state === 'submitting').length,
  }
}

/** The first request for each part of a session. Throws if the vendor does not take one of its size. */
function* requestsOf(engine: Engine, draft: BatchJob, work: StoredWork): Generator<BatchRequest> {
  const { n, parts } = work.entry
  for (const range of parts) {
    const request = modelRequestOf(engine, draft, work, { range, step: 'send' })
    if (request === undefined) continue
    const row = { customId: customIdOf(draft.nonce, 1, n, range), request }
    sizeOf(engine, row, n)
    yield row
  }
}

/** Throws BatchError `batch-refused` if the vendor says that the request would fail. */
async function checkRequest(engine: Engine, row: BatchRequest): Promise<void> {
  const { provider, signal, limits, report } = engine
  try {
    const retries = { signal, pauseMs: limits.pauseMs, tries: limits.tries, report }
    await withRetries(async () => await provider.check?.(row, { signal }), retries)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    throw new BatchError(
      'batch-refused',
      `${provider.name} would not run these requests: ${error.message} Nothing was sent.`,
      { cause: error },
    )
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

function newNonce(): string {
  const rest = [...randomBytes(9)].map((byte) => (byte % 36).toString(36)).join('')
  return `${letters[randomInt(26)]}${rest}`
}

/** Deletes what was stored of a job that failed to be created. */
async function deleteObjects({ store }: SubmitBatchOptions, job: string): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.storage.list(jobPrefix(job))) keys.push(key)
  for (const key of keys) await store.storage.delete(key)
}
