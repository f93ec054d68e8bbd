/**
 * Progress events of a batch job. `n` and `name` are the number and name of a session, `attempt` is the number of a
 * submission, and `rows` are the answers that arrived.
 */
export type BatchEvent =
  | { readonly step: 'session-stored'; readonly n: number; readonly name: string; readonly requests: number }
  /** From now on, the job can be collected, whatever happens. */
  | { readonly step: 'job-stored'; readonly job: string; readonly requests: number }
  | { readonly step: 'submitting'; readonly attempt: number; readonly requests: number }
  | { readonly step: 'submitted'; readonly attempt: number; readonly batchId: string }
  /** The answer to a submission was lost, and the job is checking whether the vendor received it. */
  | { readonly step: 'unconfirmed'; readonly attempt: number; readonly reason: string }
  | { readonly step: 'running'; readonly batchId: string; readonly requests: number; readonly ended: number }
  | { readonly step: 'ended'; readonly batchId: string; readonly rows: number; readonly missing: number }
  | { readonly step: 'session-saved'; readonly n: number; readonly bundleId: string }
  | { readonly step: 'session-failed'; readonly n: number; readonly reason: string }
  /** The session had nothing to remember, so its bundle is not saved. */
  | { readonly step: 'session-trivial'; readonly n: number }
  /** A call to the vendor failed and is retried. */
  | { readonly step: 'retry'; readonly reason: string; readonly waitMs: number }
  /** Another process is working on the job. */
  | { readonly step: 'busy' }

/** Receives the events of a batch job. Called synchronously, so it should return at once. */
export type BatchReport = (event: BatchEvent) => void
