import { type ErrorCode, TenfoldError } from '@tenfold/core/storage'

/** Codes of `BatchError`. */
export type BatchErrorCode = Extract<ErrorCode, `batch-${string}`>

/** A batch job cannot continue. A later run continues from what is stored. */
export class BatchError extends TenfoldError {
  /** Kind of the error. */
  declare readonly code: BatchErrorCode

  constructor(code: BatchErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.name = 'BatchError'
  }
}

export function takenOver(job: string): BatchError {
  return new BatchError(
    'batch-taken-over',
    `Another process is working on batch job ${job}. Wait until it ends, or run this again later.`,
  )
}

/** The vendor no longer has the results of a batch. */
export function resultsGone(batchId: string, why: string): BatchError {
  return new BatchError(
    'batch-results-gone',
    `The results of batch ${batchId} are no longer available: ${why}. Run this again with resubmitUncertain to send its requests again, which bills them again.`,
  )
}
