import type { Storage } from '@tenfold/core'
import type { Job, JobType } from 'bullmq'
import { type JobData, parseFailure, parseJobData } from './job.ts'
import { type OpenQueue, openQueue, type QueuePlace } from './open-queue.ts'
import { runKeys } from './run-budget.ts'
import { removeUploads } from './uploads.ts'

/** A log that failed, with its error. */
export interface FailedLog {
  /** Id of the job. */
  readonly job: string
  /** The log as it was queued. */
  readonly log: string
  /** The store as it was queued. */
  readonly store: string
  /** Code of the error, for programs. */
  readonly code: string
  /** Message of the error. */
  readonly message: string
  /** How many times it was tried. */
  readonly attempts: number
  /** ISO 8601. */
  readonly failedAt?: string
}

/** Results of the logs from one `queueLogs` call. Amounts are in the currency of the workers' prices. */
export interface RunStatus {
  /** Id of the run. */
  readonly run: string
  /** ISO 8601. */
  readonly startedAt: string
  /** Jobs that succeeded. */
  readonly done: number
  /** Logs that were already in the store when a worker took them. */
  readonly known: number
  /** Tokens of the logs counted in `done` and `known`. */
  readonly sourceTokens: number
  /** Tokens of the bundles of these logs. */
  readonly bundleTokens: number
  /** Number of finished model calls. */
  readonly calls: number
  /** Cost of the finished model calls. */
  readonly spent: number
  /** Maximum cost of calls in progress. */
  readonly reserved: number
  /** Number of calls whose worker was killed. They may have been billed. */
  readonly lostCalls: number
  /** Maximum cost of the lost calls, which counts towards the limit. */
  readonly lost: number
  /** Spending limit of the run, if there is one. */
  readonly maxCost?: number
}

/** Jobs and workers of a queue. */
export interface QueueStatus {
  /** Jobs that no worker has taken yet. */
  readonly waiting: number
  /** Jobs that failed and wait for another attempt. */
  readonly delayed: number
  /** Jobs in progress. */
  readonly active: number
  /** Jobs that failed and will not be tried again automatically. */
  readonly failed: number
  /** Number of connected workers. */
  readonly workers: number
  /** Runs, newest first. */
  readonly runs: readonly RunStatus[]
  /** Failed logs, newest first, limited by the option `failures`. */
  readonly failures: readonly FailedLog[]
}

/** Returns the status of a queue. */
export async function queueStatus(
  place: QueuePlace & { /** @default 100 */ readonly failures?: number | undefined },
): Promise<QueueStatus> {
  return await withQueue(place, async (open) => {
    const { queue } = open
    const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed')
    const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts
    const last = (place.failures ?? 100) - 1
    const failedJobs = last < 0 ? [] : await queue.getJobs(['failed'], 0, last)
    const ids = await open.redis.zrevrange(runKeys(open, '').all, 0, -1)
    return {
      waiting: wait + prioritized,
      active,
      delayed,
      failed,
      workers: await queue.getWorkersCount(),
      runs: await Promise.all(ids.map((run) => runStatus(open, run))),
      failures: failedJobs.filter((job) => job !== undefined).map(failedLog),
    }
  })
}

async function runStatus(open: OpenQueue, run: string): Promise<RunStatus> {
  const keys = runKeys(open, run)
  const fields = await open.redis.hgetall(keys.run)
  const number = (name: string) => Number(fields[name] ?? 0)
  const amount = (name: string) => Math.round(number(name) * 1e6) / 1e6
  const count = {
    done: number('done'),
    known: number('known'),
    calls: number('calls'),
    sourceTokens: number('sourceTokens'),
    bundleTokens: number('bundleTokens'),
  }
  return {
    run,
    startedAt: new Date(number('at')).toISOString(),
    ...count,
    spent: amount('spent'),
    reserved: amount('reserved'),
    lost: amount('lost'),
    lostCalls: await open.redis.hlen(keys.lost),
    ...(fields.maxCost !== undefined && { maxCost: number('maxCost') }),
  }
}

function failedLog(job: Job<JobData>): FailedLog {
  const { name = '', store = '' } = { ...job.data?.log, store: job.data?.store }
  return {
    job: job.id ?? '',
    log: name,
    store,
    attempts: job.attemptsMade,
    ...parseFailure(job.failedReason ?? ''),
    ...(job.finishedOn !== undefined && { failedAt: new Date(job.finishedOn).toISOString() }),
  }
}

/** Options of {@link retryJobs}. */
export interface RetryOptions extends QueuePlace {
  /** Ids of jobs. @default all that failed */
  readonly jobs?: readonly string[] | undefined
  /** A new limit for all logs that were queued together with these. */
  readonly maxCost?: number | undefined
}

/** Retries failed logs with a new count of attempts. Returns them. */
export async function retryJobs({ jobs, maxCost, ...place }: RetryOptions): Promise<FailedLog[]> {
  return await withQueue(place, async (open) => {
    const failed = (await open.queue.getJobs(['failed'], 0, -1, true)).filter(
      (job) => job !== undefined && (jobs === undefined || jobs.includes(job.id ?? '')),
    )
    for (const job of failed) {
      if (maxCost !== undefined) await open.redis.hset(runKeys(open, job.data.run).run, { maxCost })
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
    }
    return failed.map(failedLog)
  })
}

/** Options of {@link drainQueue}. */
export interface DrainOptions extends QueuePlace {
  /** Also remove the jobs that failed. @default false */
  readonly failed?: boolean | undefined
  /** Opens the store of a job, to delete what was uploaded for it. */
  openStorage(place: string): Storage | Promise<Storage>
}

/** Removes the jobs that no worker has taken, with their uploads. Returns how many jobs were removed. */
export async function drainQueue({ failed = false, openStorage, ...place }: DrainOptions): Promise<number> {
  return await withQueue(place, async (open) => {
    const types: JobType[] = ['wait', 'delayed', 'prioritized', ...(failed ? (['failed'] as const) : [])]
    const jobs = (await open.queue.getJobs(types, 0, -1)).filter((job) => job !== undefined)
    let removed = 0
    for (const job of jobs) {
      // A worker may have taken the job meanwhile.
      if ((await open.queue.remove(job.id ?? '')) === 0) continue
      removed += 1
      const { log, store } = parseJobData(job.data)
      if (log.files !== undefined) await removeUploads(log, await openStorage(store))
    }
    return removed
  })
}

async function withQueue<T>(place: QueuePlace, use: (open: OpenQueue) => Promise<T>): Promise<T> {
  const open = await openQueue(place)
  try {
    return await use(open)
  } finally {
    await open.close()
  }
}
