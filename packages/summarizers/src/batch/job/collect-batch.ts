import type { Summarizer } from '@tenfold/core'
import { sleep } from '../../provider/abortable.ts'
import { withLease } from '../store/job-lease.ts'
import { type DoneSession, readDone, readJob } from '../store/job-store.ts'
import { mayPassLater } from '../vendor/vendor-errors.ts'
import { advanceJob, type JobProgress } from './advance-job.ts'
import { checkBatchOptions, type Engine, type EngineOptions, makeEngine } from './engine.ts'

export interface CollectBatchOptions extends EngineOptions {
  /** Wait until every session is finished. @default false */
  readonly wait?: boolean | undefined
  /** First pause between two checks; it grows to five times that. @default 60 000 */
  readonly pollMs?: number | undefined
  /** Resend what expired, failed in a way that may pass, or was invalid. @default true */
  readonly resubmit?: boolean | undefined
  /**
   * Resend what may already be at the vendor, and what it has deleted: the operator accepts that it may be billed
   * twice. @default false
   */
  readonly resubmitUncertain?: boolean | undefined
  /** Summarizes the parts that the vendor's model did not. Should bill nothing. @default such a session fails */
  readonly fallback?: Summarizer | undefined
}

/** The result of a job so far. */
export interface CollectedBatch {
  readonly job: string
  /** Sessions that have a bundle, and sessions that will not have one. */
  readonly saved: readonly DoneSession[]
  readonly failed: readonly DoneSession[]
  /** Sessions that left nothing to remember: they have no bundle. */
  readonly trivial: readonly DoneSession[]
  /** Sessions that are not finished yet. */
  readonly open: number
  /** Whether another process works on the job, so that this one did nothing. */
  readonly busy: boolean
}

const maxPoll = 5

/**
 * Stores what the vendor has ready, saves a bundle for each session that is complete, and resends what must be resent.
 * May be called at any time and any number of times, even by several processes. Throws BatchError `batch-uncertain`,
 * `batch-results-gone`, `batch-mismatch`, `batch-refused` or `batch-call-failed`; what was collected by then is kept.
 */
export async function collectBatch(job: string, options: CollectBatchOptions): Promise<CollectedBatch> {
  checkBatchOptions(options)
  const { wait = false, pollMs = 60_000 } = options
  const engine = makeEngine(await readJob(options.store.storage, job), options)
  let pauseMs = pollMs
  for (;;) {
    const progress = await advanceUnderLease(engine, wait).catch((error: unknown) => {
      // A day is long: an hour without a network is no reason to give up.
      if (!wait || !mayPassLater(error)) throw error
      engine.report({ step: 'retry', reason: String(error), waitMs: pauseMs })
    })
    if (!wait || progress?.open === 0) return await collected(engine, progress === undefined)
    if (progress !== undefined && progress.sent > 0) pauseMs = pollMs
    await sleep(pauseMs, engine.signal)
    pauseMs = Math.min(pauseMs * 1.5, pollMs * maxPoll)
  }
}

async function advanceUnderLease(engine: Engine, wait: boolean): Promise<JobProgress | undefined> {
  const { signal, limits, storage, job, report } = engine
  return await withLease(
    storage,
    job,
    { signal, leaseMs: limits.leaseMs, wait, onBusy: () => report({ step: 'busy' }) },
    (inner) => advanceJob({ ...engine, signal: inner }),
  )
}

async function collected(engine: Engine, busy: boolean): Promise<CollectedBatch> {
  const { sessions } = await readJob(engine.storage, engine.job)
  const done: DoneSession[] = []
  for (const { n } of sessions) {
    const one = await readDone(engine.storage, engine.job, n)
    if (one !== undefined) done.push(one)
  }
  return {
    job: engine.job,
    saved: done.filter(({ state }) => state === 'saved'),
    failed: done.filter(({ state }) => state === 'failed'),
    trivial: done.filter(({ state }) => state === 'trivial'),
    open: sessions.length - done.length,
    busy,
  }
}
