import type { Storage } from '@tenfold/core'
import { jobsPrefix, parseJobKey } from '../store/job-keys.ts'

/** Ids of all batch jobs, oldest first. */
export async function listJobs(storage: Storage): Promise<string[]> {
  const jobs: string[] = []
  for await (const { key } of storage.list(jobsPrefix)) {
    const job = parseJobKey(key)
    if (job !== undefined) jobs.push(job)
  }
  return jobs
}
