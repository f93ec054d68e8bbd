import { type ErrorCode, TenfoldError } from '@tenfold/core/storage'

/** Codes of `BatchError`. */
export type BatchErrorCode = Extract<ErrorCode, `batch-${string}`>

/** A batch job cannot continue. Everything stored is kept, and a later run continues from there. */
export class BatchError extends TenfoldError {
  /** Tells the kinds of errors apart. */
  declare readonly code: BatchErrorCode

  constructor(code: BatchErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.name = 'BatchError'
  }
}

export function takenOver(job: string): BatchError {
  return new BatchError(
    'batch-taken-over',
    `Another process works on batch job ${job} now. Wait for it to end, or run this again later.`,
  )
}

/** The vendor no longer has the results of a batch. */
export function resultsGone(batchId: string, why: string): BatchError {
  return new BatchError(
    'batch-results-gone',
    `The results of batch ${batchId} are no longer available: ${why}. Run this again with resubmitUncertain to send its requests again, which bills them again.`,
  )
}
