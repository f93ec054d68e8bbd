import { type BatchJob, canonicalHash } from '../store/batch-job.ts'
import { listDone, readDone, readJob } from '../store/job-store.ts'
import type { EngineOptions } from './engine.ts'
import { type BatchBundleOptions, jobOf } from './job-of.ts'
import { listJobs } from './list-jobs.ts'

/** The logs that jobs of a store have. */
export interface SubmittedLogs {
  /** Whether there is none. */
  readonly isEmpty: boolean
  /** Id of the job that has a log, by its `source.sha256` and its name, of which the part after `#` counts. */
  jobOf(sha256: string, name: string): string | undefined
}

/**
 * Finds the logs that jobs of the store have already, to be summarized by the same model with the same options: to
 * submit them again would bill them twice. What failed, or was canceled before it was done, does not count.
 */
export async function submittedLogs(
  options: BatchBundleOptions & Pick<EngineOptions, 'store' | 'signal'>,
): Promise<SubmittedLogs> {
  const { storage } = options.store
  const wanted = requestOf(jobOf('', '', '', options))
  const jobs = new Map<string, string>()
  for (const id of await listJobs(storage)) {
    options.signal?.throwIfAborted()
    const job = await readJob(storage, id)
    if (requestOf(job) !== wanted) continue
    const done = await listDone(storage, id)
    for (const { n, source, name } of job.sessions) {
      const state = done.has(`${n}`) ? (await readDone(storage, id, n))?.state : undefined
      const isOpen = state === undefined && job.canceledAt === undefined
      if (isOpen || state === 'saved' || state === 'trivial') jobs.set(keyOf(source, name), id)
    }
  }
  return { isEmpty: jobs.size === 0, jobOf: (sha256, name) => jobs.get(keyOf(sha256, name)) }
}

/** Several sessions of one file have its digest in common. */
function keyOf(sha256: string, name: string): string {
  const mark = name.lastIndexOf('#')
  return `${sha256}${mark === -1 ? '' : name.slice(mark)}`
}

/** All that shapes the bundles of a job. How long its answers may be follows from the limits, and does not count. */
function requestOf({ provider, model, endpoint, promptVersion, schemaHash, options }: BatchJob): string {
  const { sizedOutput: _, ...rest } = options
  return canonicalHash({ provider, model, endpoint, promptVersion, schemaHash, options: rest })
}
