export const jobsPrefix = 'batches/'

/** Prefix of all keys of a job. */
export function jobPrefix(job: string): string {
  return `${jobsPrefix}${job}/`
}

/** Key of a job's description. */
export function jobKey(job: string): string {
  return `${jobPrefix(job)}job.json`
}

/** The job whose description has this key; undefined for any other key. */
export function parseJobKey(key: string): string | undefined {
  return /^batches\/([^/]+)\/job\.json$/.exec(key)?.[1]
}

/** Key of the lease that says who works on the job. */
export function leaseKey(job: string): string {
  return `${jobPrefix(job)}lease.json`
}

/** Key of the redacted session `n` with its transcript, as JSON packed with brotli. */
export function sessionKey(job: string, n: number): string {
  return `${jobPrefix(job)}sessions/${n}.json.br`
}

export function resultsPrefix(job: string): string {
  return `${jobPrefix(job)}results/`
}

/** Key of the row of one request. */
export function resultKey(job: string, customId: string): string {
  return `${resultsPrefix(job)}${customId}.json`
}

/** Key of the summary that another summarizer made of a part. */
export function fallbackKey(job: string, n: number, first: number, last: number): string {
  return `${jobPrefix(job)}fallbacks/${n}_${first}_${last}.json`
}

export function donePrefix(job: string): string {
  return `${jobPrefix(job)}done/`
}

/** Key of the outcome of session `n`. */
export function doneKey(job: string, n: number): string {
  return `${donePrefix(job)}${n}.json`
}
