import { TenfoldError } from '@tenfold/core'

export type BatchErrorCode =
  /** The store has no such job. */
  | 'batch-missing'
  /** The job was made with another provider, model, endpoint, key or counter. */
  | 'batch-mismatch'
  /** It is unknown whether a submission reached the vendor: sending it again may bill it twice. */
  | 'batch-uncertain'
  /** The vendor refused the batch. */
  | 'batch-refused'
  /** The vendor has deleted the batch or its results. */
  | 'batch-results-gone'
  /** Results would come from a host that must not see the key. */
  | 'batch-foreign-host'
  /** Another process took over this job. */
  | 'batch-taken-over'
  /** The vendor was not reached, or did not answer as it should. */
  | 'batch-call-failed'
  /** A request is larger than the vendor accepts. */
  | 'batch-too-large'

/** A batch job cannot continue. Everything stored is kept, and a later run continues from there. */
export class BatchError extends TenfoldError {
  declare readonly code: BatchErrorCode

  constructor(code: BatchErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.name = 'BatchError'
  }
}
