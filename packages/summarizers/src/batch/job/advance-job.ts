import { TenfoldError } from '@tenfold/core'
import type { BatchJob } from '../store/batch-job.ts'
import { listDone, listResults, readDone, readJob } from '../store/job-store.ts'
import { withVendor } from '../vendor/vendor-errors.ts'
import type { Engine } from './engine.ts'
import { asFault } from './fault.ts'
import { reconcile } from './find-attempt.ts'
import { finishSession } from './finish-session.ts'
import { readRows } from './read-rows.ts'
import { type PendingRequest, sendRequests } from './send-requests.ts'
import { loadWork, modelRequestOf, type SessionWork } from './session-work.ts'

/** How far a job is. */
export interface JobProgress {
  /** Sessions that are not finished. */
  readonly open: number
  /** Requests that this run sent. */
  readonly sent: number
}

/**
 * Does everything that can be done for a job now: finds out what became of interrupted submissions, stores the rows of
 * batches that ended, finishes sessions, and sends what must be sent. Call it only under the lease of the job. Throws
 * the first TenfoldError that it met, after everything else is done.
 */
export async function advanceJob(engine: Engine): Promise<JobProgress> {
  return await withVendor(engine.job, async () => {
    const faults = [
      ...(await reconcile(engine, await readJob(engine.storage, engine.job))),
      ...(await readRows(engine, await readJob(engine.storage, engine.job))),
    ]
    const job = await readJob(engine.storage, engine.job)
    const counts = { open: 0 }
    const sent = await sendRequests(engine, finishAndAsk(engine, job, { counts, faults }))
    // A faulty batch or session does not hold up the others.
    if (faults[0] !== undefined) throw faults[0]
    return { open: counts.open, sent }
  })
}

/** Finishes the sessions that can be finished and returns the requests that the others need. */
async function* finishAndAsk(
  engine: Engine,
  job: BatchJob,
  { counts, faults }: { counts: { open: number }; faults: unknown[] },
): AsyncGenerator<PendingRequest> {
  const done = await listDone(engine.storage, job.job)
  const received = await listResults(engine.storage, job.job)
  const waiting = requestsOutFor(job, received)
  for (const entry of job.sessions) {
    const wasDone = done.has(String(entry.n))
    if (wasDone && !(await mayBeSaved(engine, job, entry.n))) continue
    engine.signal.throwIfAborted()
    counts.open += wasDone ? 0 : 1
    if (waiting.has(entry.n)) continue
    const work = await loadWork(engine, job, entry).catch((error: unknown) => asFault(error))
    if (TenfoldError.isInstance(work)) faults.push(work)
    else if (work.parts.some(({ step }) => step !== 'summarized' && step !== 'failed'))
      // What has failed is not paid for again.
      yield* wasDone ? [] : requestsFor(engine, job, work)
    else {
      await finish(engine, job, work)
      counts.open -= wasDone ? 0 : 1
    }
  }
}

/** Whether a session failed only for lack of a fallback, which is now available: everything paid for it is there. */
async function mayBeSaved({ fallback, storage }: Engine, job: BatchJob, n: number): Promise<boolean> {
  return fallback !== undefined && (await readDone(storage, job.job, n))?.state === 'failed'
}

/** Sessions that still miss the row of a request. */
function requestsOutFor(job: BatchJob, received: ReadonlySet<string>): Set<number> {
  const waiting = new Set<number>()
  for (const { state, requests } of job.attempts)
    if (state !== 'abandoned')
      for (const { customId, session } of requests) if (!received.has(customId)) waiting.add(session)
  return waiting
}

async function finish(engine: Engine, job: BatchJob, work: SessionWork): Promise<void> {
  const { n } = work.entry
  const { state, bundleId, reason = '' } = await finishSession(engine, job, work)
  if (state === 'trivial') engine.report({ step: 'session-trivial', n })
  else if (bundleId === undefined) engine.report({ step: 'session-failed', n, reason })
  else engine.report({ step: 'session-saved', n, bundleId })
}

function* requestsFor(engine: Engine, job: BatchJob, work: SessionWork): Generator<PendingRequest> {
  for (const part of work.parts) {
    const request = modelRequestOf(engine, job, work, part)
    if (request === undefined || isHeld(engine, job, work, part.range)) continue
    yield { session: work.entry.n, range: part.range, repair: part.step === 'repair', request }
  }
}

/** Whether a rate limit is too recent to retry: the vendor would refuse the next batch as well. */
function isHeld(
  engine: Engine,
  job: BatchJob,
  work: SessionWork,
  range: { readonly first: number; readonly last: number },
): boolean {
  const last = work.sent.findLast(({ first, last: end }) => first === range.first && end === range.last)
  if (last?.row?.error?.reason !== 'rate-limited') return false
  const attempt = job.attempts.find(({ requests }) =>
    requests.some(({ customId }) => customId === last.customId),
  )
  const ended = Date.parse(attempt?.endedAt ?? '')
  return Date.now() < ended + engine.limits.rateLimitMs
}
