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

/** What came of the logs of one `queueLogs`; amounts are in the currency of the workers' prices. */
export interface RunStatus {
  /** Id of the run. */
  readonly run: string
  /** ISO 8601. */
  readonly startedAt: string
  /** Jobs that ended well. */
  readonly done: number
  /** Logs that the store had when a worker took them. */
  readonly known: number
  /** Of their logs. */
  readonly sourceTokens: number
  /** Of their bundles. */
  readonly bundleTokens: number
  /** Calls of models that ended. */
  readonly calls: number
  /** What models were paid. */
  readonly spent: number
  /** What calls under way may cost at most. */
  readonly reserved: number
  /** Calls whose worker was killed: they may have been billed, `lost` at most, which counts towards the limit. */
  readonly lostCalls: number
  /** What calls whose worker was killed cost at most: it counts towards the limit. */
  readonly lost: number
  /** What the run may spend, if that is limited. */
  readonly maxCost?: number
}

/** What a queue has to do, and who does it. */
export interface QueueStatus {
  /** Jobs that no worker took yet. */
  readonly waiting: number
  /** Failed, and waiting for another try. */
  readonly delayed: number
  /** Jobs in work. */
  readonly active: number
  /** Jobs that were given up. */
  readonly failed: number
  /** Workers that are connected. */
  readonly workers: number
  /** The newest first. */
  readonly runs: readonly RunStatus[]
  /** The newest first, at most as many as were asked for. */
  readonly failures: readonly FailedLog[]
}

/** Returns what is in a queue. */
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

/** Has failed logs tried again, from the first attempt on. Returns them. */
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

/** Removes the jobs that no worker has taken, with what was uploaded for them. Returns how many there were. */
export async function drainQueue({ failed = false, openStorage, ...place }: DrainOptions): Promise<number> {
  return await withQueue(place, async (open) => {
    const types: JobType[] = ['wait', 'delayed', 'prioritized', ...(failed ? (['failed'] as const) : [])]
    const jobs = (await open.queue.getJobs(types, 0, -1)).filter((job) => job !== undefined)
    let removed = 0
    for (const job of jobs) {
      // A worker may have taken it meanwhile.
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
