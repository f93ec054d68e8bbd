import { tiktokenCounter } from '@tenfold/core'
import { ModelError } from '../provider/model.ts'
import { BatchError } from './batch-error.ts'
import { advanceJob } from './collect-batch.ts'
import {
  checkBatchOptions,
  type Engine,
  type EngineOptions,
  makeEngine,
  underLease,
  withRetries,
} from './engine.ts'
import { customIdOf, type JobSession } from './job.ts'
import { createJob, jobKey, listJobs, readAllDone, readJob } from './job-store.ts'
import { type BatchBundleOptions, type BatchSession, digestOfJob, newJob, sessionStorer } from './new-job.ts'
import type { BatchRequest } from './provider.ts'
import { type JobWork, modelRequestOf } from './session-parts.ts'
import { sizeOf } from './vendor-batches.ts'

/** Which logs to compress, with which model, into which store. */
export interface SubmitBatchOptions extends EngineOptions, BatchBundleOptions {
  /** The sessions to summarize, already redacted. */
  readonly sessions: AsyncIterable<BatchSession> | Iterable<BatchSession>
  /**
   * Let the vendor check the first request before anything is sent, if that is free, because Anthropic checks a batch's
   * requests only when it runs them. @default true
   */
  readonly check?: boolean | undefined
}

/** A batch job that was sent. */
export interface SubmittedBatch {
  /** Id of the job, for `collectBatch`. */
  readonly job: string
  /** Number of submitted sessions. */
  readonly sessions: number
  /** Number of requests. */
  readonly requests: number
  /** Summed over all requests. */
  readonly estimate: { readonly inputTokens: number; readonly maxOutputTokens: number }
  /** The vendor's ids of the batches. */
  readonly batches: readonly string[]
  /** Number of batches whose submission got no answer. Whether they exist is known when the vendor has ended them. */
  readonly unconfirmed: number
}

/**
 * Stores the sessions as a job, then sends all requests in as few batches as the vendor's limits allow. If anything
 * fails after the job is stored, {@link collectBatch} continues from there. Throws TypeError or RangeError for invalid
 * options before a session is read; what `admit` throws, with nothing sent or stored; BatchError `batch-refused` if the
 * vendor accepts no batch, and `batch-call-failed` if it cannot be reached.
 */
export async function submitBatch(options: SubmitBatchOptions): Promise<SubmittedBatch> {
  checkBatchOptions(options)
  const { provider } = options
  const draft = newJob(options)
  const engine = makeEngine(draft, { ...options, counter: options.counter ?? tiktokenCounter() })
  const { storage, report } = engine
  const store = sessionStorer(engine, draft)
  const estimate = { inputTokens: 0, maxOutputTokens: 0 }
  const sessions: JobSession[] = []
  let requests = 0
  let first: BatchRequest | undefined
  try {
    for await (const one of options.sessions) {
      engine.signal.throwIfAborted()
      const work = await store(one, sessions.length + 1)
      const { n, name, parts } = work.entry
      for (const row of requestsOf(engine, work)) {
        first ??= row
        const { inputTokens, maxOutputTokens } = row.request
        const { name: summarizer, model } = provider
        options.admit?.({ summarizer, model, inputTokens, maxOutputTokens, tier: 'batch' })
        estimate.inputTokens += inputTokens
        estimate.maxOutputTokens += maxOutputTokens
      }
      sessions.push(work.entry)
      requests += parts.length
      report({ step: 'session-stored', n, name, requests: parts.length })
    }
    if (first !== undefined && (options.check ?? true)) await checkRequest(engine, first)
  } catch (error) {
    // Remaining objects belong to no job and do no harm.
    await deleteObjects(engine).catch(() => undefined)
    throw error
  }
  if (sessions.length === 0) throw new RangeError('expected at least one session, got none')
  await createJob(storage, { ...draft, sessions })
  report({ step: 'job-stored', job: draft.job, requests })
  await underLease(engine, true, advanceJob)
  const { attempts } = await readJob(engine)
  return {
    job: draft.job,
    sessions: sessions.length,
    requests,
    estimate,
    batches: attempts.flatMap(({ batchId }) => batchId ?? []),
    unconfirmed: attempts.filter(({ state }) => state === 'submitting').length,
  }
}

/** The first request for each part of a session. Throws if one is larger than the vendor accepts. */
function* requestsOf(engine: Engine, work: JobWork): Generator<BatchRequest> {
  const { n, parts } = work.entry
  for (const range of parts) {
    const request = modelRequestOf(engine, work, { range, step: 'send' })
    if (request === undefined) continue
    const row = { customId: customIdOf(work.job.nonce, 1, n, range), request }
    sizeOf(engine, row, n)
    yield row
  }
}

/** Throws BatchError `batch-refused` if the vendor reports that the request would fail. */
async function checkRequest(engine: Engine, row: BatchRequest): Promise<void> {
  const { provider } = engine
  try {
    await withRetries(engine, async (options) => await provider.check?.(row, options))
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const message = `${provider.name} would not run these requests: ${error.message} Nothing was sent.`
    throw new BatchError('batch-refused', message, { cause: error })
  }
}

/** Deletes the stored objects of a job that could not be created. */
async function deleteObjects({ storage, job }: Engine): Promise<void> {
  const keys: string[] = []
  for await (const { key } of storage.list(jobKey(job))) keys.push(key)
  for (const key of keys) await storage.delete(key)
}

/** The logs in the jobs of a store. */
export interface SubmittedLogs {
  /** Whether there are none. */
  readonly isEmpty: boolean
  /** Id of the job with a log, by the log's `source.sha256` and the part of its name after `#`. */
  jobOf(sha256: string, name: string): string | undefined
}

/**
 * Finds the logs that the store's jobs already have for the same model and options, since submitting them again would
 * bill them twice. Failed and canceled sessions do not count.
 */
export async function submittedLogs(
  options: BatchBundleOptions & Pick<EngineOptions, 'store' | 'signal'>,
): Promise<SubmittedLogs> {
  const { storage } = options.store
  const wanted = digestOfJob(newJob(options))
  const jobs = new Map<string, string>()
  for (const id of await listJobs(storage)) {
    options.signal?.throwIfAborted()
    const job = await readJob({ storage, job: id })
    if (digestOfJob(job) !== wanted) continue
    const done = new Map((await readAllDone({ storage, job: id })).map(({ n, state }) => [n, state]))
    for (const { n, source, name } of job.sessions) {
      const state = done.get(n) ?? (job.canceledAt === undefined ? 'open' : 'failed')
      if (state !== 'failed') jobs.set(keyOf(source, name), id)
    }
  }
  return { isEmpty: jobs.size === 0, jobOf: (sha256, name) => jobs.get(keyOf(sha256, name)) }
}

/** The digest alone is not unique, because several sessions may be in one file. */
function keyOf(sha256: string, name: string): string {
  return `${sha256}${/#[^#]*$/.exec(name)?.[0] ?? ''}`
}
