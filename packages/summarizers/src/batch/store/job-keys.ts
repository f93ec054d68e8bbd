export const jobsPrefix = 'batches/'

/** Where everything of a job lies. */
export function jobPrefix(job: string): string {
  return `${jobsPrefix}${job}/`
}

/** Where the description of a job lies. */
export function jobKey(job: string): string {
  return `${jobPrefix(job)}job.json`
}

/** Job that a key of its description names, or undefined for any other key. */
export function parseJobKey(key: string): string | undefined {
  return /^batches\/([^/]+)\/job\.json$/.exec(key)?.[1]
}

/** Where it is written who works on the job. */
export function leaseKey(job: string): string {
  return `${jobPrefix(job)}lease.json`
}

/** Where the clean session `n` lies with its transcript, as JSON packed with brotli. */
export function sessionKey(job: string, n: number): string {
  return `${jobPrefix(job)}sessions/${n}.json.br`
}

export function resultsPrefix(job: string): string {
  return `${jobPrefix(job)}results/`
}

/** Where the row of one request lies. */
export function resultKey(job: string, customId: string): string {
  return `${resultsPrefix(job)}${customId}.json`
}

/** Where the summary lies that another summarizer made of a part. */
export function fallbackKey(job: string, n: number, first: number, last: number): string {
  return `${jobPrefix(job)}fallbacks/${n}_${first}_${last}.json`
}

export function donePrefix(job: string): string {
  return `${jobPrefix(job)}done/`
}

/** Where it is written what became of session `n`. */
export function doneKey(job: string, n: number): string {
  return `${donePrefix(job)}${n}.json`
}
