import type { Storage } from '@tenfold/core'
import { known } from '../../provider/fields.ts'
import type { Attempt, BatchJob } from '../store/batch-job.ts'
import { listDone, listResults, readDone, readJob } from '../store/job-store.ts'
import { listJobs } from './list-jobs.ts'

/** Status of a job, from what is stored, without asking the vendor. */
export interface BatchStatus {
  readonly job: string
  readonly createdAt: string
  readonly provider: string
  readonly model: string
  readonly sessions: number
  readonly saved: number
  readonly failed: number
  /** Sessions that left nothing to remember: they have no bundle. */
  readonly trivial: number
  readonly batches: readonly {
    readonly state: Attempt['state']
    readonly requests: number
    /** Rows that are stored. */
    readonly received: number
    readonly batchId?: string
    readonly submittedAt?: string
    readonly expiresAt?: string
  }[]
  readonly canceledAt?: string
}

/** Reads the status of a job. Throws BatchError `batch-missing` if there is no such job. */
export async function batchStatus(storage: Storage, job: string): Promise<BatchStatus> {
  return await statusOf(storage, await readJob(storage, job))
}

/** All batch jobs in a storage, oldest first. */
export async function listBatches(storage: Storage): Promise<BatchStatus[]> {
  const all: BatchStatus[] = []
  for (const job of await listJobs(storage)) all.push(await batchStatus(storage, job))
  return all
}

async function statusOf(storage: Storage, job: BatchJob): Promise<BatchStatus> {
  const received = await listResults(storage, job.job)
  const count = { saved: 0, failed: 0, trivial: 0 }
  for (const n of await listDone(storage, job.job)) {
    const done = await readDone(storage, job.job, Number(n))
    if (done !== undefined) count[done.state] += 1
  }
  const { createdAt, provider, model, canceledAt, sessions } = job
  return {
    job: job.job,
    createdAt,
    provider,
    model,
    sessions: sessions.length,
    ...count,
    batches: job.attempts.map(({ state, requests, batchId, submittedAt, expiresAt }) => ({
      state,
      requests: requests.length,
      received: requests.filter(({ customId }) => received.has(customId)).length,
      ...known({ batchId, submittedAt, expiresAt }),
    })),
    ...known({ canceledAt }),
  }
}
