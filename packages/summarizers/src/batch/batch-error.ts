import { type ErrorCode, TenfoldError } from '@tenfold/core/storage'

export type BatchErrorCode = Extract<ErrorCode, `batch-${string}`>

/** A batch job cannot continue. Everything stored is kept, and a later run continues from there. */
export class BatchError extends TenfoldError {
  declare readonly code: BatchErrorCode

  constructor(code: BatchErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.name = 'BatchError'
  }
}
