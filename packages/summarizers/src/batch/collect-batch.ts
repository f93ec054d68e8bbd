import { type Storage, type Summarizer, TenfoldError } from '@tenfold/core'
import { sleep } from '@tenfold/core/internal/locks'
import { known } from '@tenfold/core/internal/summarizer'
import { ModelError } from '../provider/model.ts'
import { BatchError } from './batch-error.ts'
import {
  asFault,
  checkBatchOptions,
  type Engine,
  type EngineOptions,
  makeEngine,
  underLease,
  withRetries,
} from './engine.ts'
import { finishSession } from './finish-session.ts'
import type { Attempt, BatchJob, DoneSession } from './job.ts'
import { listJobs, listNames, readAllDone, readDone, readJob, updateJob } from './job-store.ts'
import { loadWork, modelRequestOf, type SessionWork } from './session-parts.ts'
import { type PendingRequest, readRows, reconcile, sendRequests } from './vendor-batches.ts'

/** The job's store and vendor, and what to resend. */
export interface CollectBatchOptions extends EngineOptions {
  /** Wait until every session is finished. @default false */
  readonly wait?: boolean | undefined
  /** First pause between two checks, in milliseconds. It grows up to fivefold. @default 60 000 */
  readonly pollMs?: number | undefined
  /** Resend requests that expired, failed temporarily or got an invalid answer. @default true */
  readonly resubmit?: boolean | undefined
  /**
   * Also resend requests that the vendor may already have, and those whose results it deleted: they may be billed
   * twice. @default false
   */
  readonly resubmitUncertain?: boolean | undefined
  /** Summarizes the parts that the vendor's model did not. Should be free of charge. @default such a session fails */
  readonly fallback?: Summarizer | undefined
}

/** The result of a job so far. */
export interface CollectedBatch {
  /** Id of the job. */
  readonly job: string
  /** Sessions that have a bundle. */
  readonly saved: readonly DoneSession[]
  /** Sessions that were given up. */
  readonly failed: readonly DoneSession[]
  /** Sessions that left nothing to remember: they have no bundle. */
  readonly trivial: readonly DoneSession[]
  /** Number of sessions that are not finished yet. */
  readonly open: number
  /** Whether another process is working on the job, so that this one did nothing. */
  readonly busy: boolean
}

const maxPoll = 5

/**
 * Stores the vendor's finished results, saves a bundle for each complete session, and resends requests if necessary.
 * May be called at any time and any number of times, even by several processes. Throws BatchError `batch-uncertain`,
 * `batch-results-gone`, `batch-mismatch`, `batch-refused` or `batch-call-failed`; keeps what was collected before.
 */
export async function collectBatch(job: string, options: CollectBatchOptions): Promise<CollectedBatch> {
  checkBatchOptions(options)
  const { wait = false, pollMs = 60_000, store } = options
  const engine = makeEngine(await readJob({ storage: store.storage, job }), options)
  let polls = 0
  const pauseMs = () => pollMs * Math.min(maxPoll, 2 ** polls)
  for (;;) {
    const progress = await underLease(engine, wait, advanceJob).catch((error: unknown) => {
      // A batch takes up to a day, so an hour without a network is no reason to stop waiting.
      const cause = error instanceof BatchError ? error.cause : undefined
      if (!wait || !(cause instanceof ModelError && cause.retryable)) throw error
      engine.report({ step: 'retry', reason: String(error), waitMs: pauseMs() })
    })
    if (!wait || progress?.open === 0) return await collected(engine, progress === undefined)
    if (progress !== undefined && progress.sent > 0) polls = 0
    await sleep(pauseMs(), engine.signal)
    polls += 1
  }
}

async function collected(engine: Engine, busy: boolean): Promise<CollectedBatch> {
  const { sessions } = await readJob(engine)
  const done = await readAllDone(engine)
  const are = (state: DoneSession['state']) => done.filter((one) => one.state === state)
  const [saved, failed, trivial] = [are('saved'), are('failed'), are('trivial')]
  return { job: engine.job, saved, failed, trivial, open: sessions.length - done.length, busy }
}

/**
 * Does everything that can be done for a job now: settles interrupted submissions, stores the rows of batches that
 * ended, finishes sessions, and sends pending requests. Call it only under the job's lease. Throws the first
 * TenfoldError after everything else is done. Returns the number of unfinished sessions and of requests sent.
 */
export async function advanceJob(engine: Engine): Promise<{ readonly open: number; readonly sent: number }> {
  const faults = [...(await reconcile(engine)), ...(await readRows(engine))]
  const count = { open: 0 }
  const sent = await sendRequests(engine, finishAndAsk(engine, count, faults))
  // Thrown last, so that a faulty batch or session does not stop the others.
  if (faults[0] !== undefined) throw faults[0]
  return { open: count.open, sent }
}

/** Finishes the sessions that can be finished and yields the requests that the others need. */
async function* finishAndAsk(
  engine: Engine,
  count: { open: number },
  faults: TenfoldError[],
): AsyncGenerator<PendingRequest> {
  const job = await readJob(engine)
  const done = await listNames(engine, 'done/')
  const waiting = requestsOutFor(job, await listNames(engine, 'results/'))
  for (const entry of job.sessions) {
    const isDone = done.has(`${entry.n}`)
    // A session that failed only for lack of a fallback can still be saved with one, since its paid answers are stored.
    const maySave = async () =>
      engine.fallback !== undefined && (await readDone(engine, entry.n))?.state === 'failed'
    if (isDone && !(await maySave())) continue
    engine.signal.throwIfAborted()
    if (!isDone) count.open += 1
    if (waiting.has(entry.n)) continue
    const work = await loadWork(engine, job, entry).catch(asFault)
    if (TenfoldError.isInstance(work)) faults.push(work)
    else if (work.parts.every(({ step }) => step === 'summarized' || step === 'failed')) {
      report(engine, await finishSession(engine, work))
      if (!isDone) count.open -= 1
      // Failed sessions are not sent and paid for again.
    } else if (!isDone) yield* requestsFor(engine, work)
  }
}

/** Sessions that still lack the row of a request. */
function requestsOutFor({ attempts }: BatchJob, received: ReadonlySet<string>): Set<number> {
  const requests = attempts.filter(({ state }) => state !== 'abandoned').flatMap((one) => one.requests)
  return new Set(requests.flatMap(({ customId, session }) => (received.has(customId) ? [] : session)))
}

function report(engine: Engine, { n, state, bundleId, reason = '' }: DoneSession): void {
  if (state === 'trivial') engine.report({ step: 'session-trivial', n })
  else if (bundleId === undefined) engine.report({ step: 'session-failed', n, reason })
  else engine.report({ step: 'session-saved', n, bundleId })
}

function* requestsFor(engine: Engine, work: SessionWork): Generator<PendingRequest> {
  for (const part of work.parts) {
    const request = modelRequestOf(engine, work, part)
    if (request === undefined || isHeld(engine, work, part.range)) continue
    yield { session: work.entry.n, range: part.range, repair: part.step === 'repair', request }
  }
}

/** Whether a rate limit is too recent to retry: the vendor would refuse the next batch as well. */
function isHeld(
  { limits }: Engine,
  { job, sent }: SessionWork,
  { first, last }: PendingRequest['range'],
): boolean {
  const latest = sent.findLast((one) => one.first === first && one.last === last)
  if (latest?.row?.error?.reason !== 'rate-limited') return false
  const attempt = job.attempts.find(({ requests }) =>
    requests.some((one) => one.customId === latest.customId),
  )
  return Date.now() < Date.parse(attempt?.endedAt ?? '') + limits.rateLimitMs
}

/**
 * Stops sending a job's requests and asks the vendor to end its batches. Finished requests are billed, and
 * `collectBatch` still collects them, with its fallback for the rest. Throws BatchError `batch-missing`,
 * `batch-mismatch` or `batch-uncertain`.
 */
export async function cancelBatch(job: string, options: EngineOptions): Promise<void> {
  const engine = makeEngine(await readJob({ storage: options.store.storage, job }), options)
  const canceledAt = new Date().toISOString()
  await updateJob(engine, (stored) => ({ ...stored, canceledAt: stored.canceledAt ?? canceledAt }))
  await underLease(engine, true, async (owned) => {
    const [fault] = await reconcile(owned)
    for (const { state, batchId } of (await readJob(owned)).attempts)
      if (state === 'submitted' && batchId !== undefined)
        await withRetries(owned, (call) => owned.provider.cancel(batchId, call))
    if (fault !== undefined) throw fault
  })
}

/** Status of a job according to the store, without asking the vendor. */
export interface BatchStatus {
  /** Id of the job. */
  readonly job: string
  /** ISO 8601. */
  readonly createdAt: string
  /** Name of the vendor. */
  readonly provider: string
  /** Name of the model. */
  readonly model: string
  /** Sessions of the job. */
  readonly sessions: number
  /** Sessions whose bundle is stored. */
  readonly saved: number
  /** Sessions that were given up. */
  readonly failed: number
  /** Sessions that left nothing to remember: they have no bundle. */
  readonly trivial: number
  /** Batches that were submitted for the job. */
  readonly batches: readonly {
    readonly state: Attempt['state']
    readonly requests: number
    /** Number of stored rows. */
    readonly received: number
    readonly batchId?: string
    readonly submittedAt?: string
    readonly expiresAt?: string
  }[]
  /** ISO 8601. Absent unless the job was canceled. */
  readonly canceledAt?: string
}

/** Reads the status of a job. Throws BatchError `batch-missing` if there is no such job. */
export async function batchStatus(storage: Storage, job: string): Promise<BatchStatus> {
  const { createdAt, provider, model, canceledAt, sessions, attempts } = await readJob({ storage, job })
  const received = await listNames({ storage, job }, 'results/')
  const count = { saved: 0, failed: 0, trivial: 0 }
  for (const { state } of await readAllDone({ storage, job })) count[state] += 1
  return {
    job,
    createdAt,
    provider,
    model,
    sessions: sessions.length,
    ...count,
    batches: attempts.map(({ state, requests, batchId, submittedAt, expiresAt }) => ({
      state,
      requests: requests.length,
      received: requests.filter(({ customId }) => received.has(customId)).length,
      ...known({ batchId, submittedAt, expiresAt }),
    })),
    ...known({ canceledAt }),
  }
}

/** All batch jobs in a storage, oldest first. */
export async function listBatches(storage: Storage): Promise<BatchStatus[]> {
  const all: BatchStatus[] = []
  for (const job of await listJobs(storage)) all.push(await batchStatus(storage, job))
  return all
}
