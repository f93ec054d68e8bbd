// The public surface of @tenfold/summarizers/batch. Everything else is internal.

export { BatchError, type BatchErrorCode } from './batch-error.ts'
export type { BatchEvent, BatchReport } from './batch-event.ts'
export {
  type BatchStatus,
  batchStatus,
  type CollectBatchOptions,
  type CollectedBatch,
  cancelBatch,
  collectBatch,
  listBatches,
} from './collect-batch.ts'
export type { BatchLimits, EngineOptions } from './engine.ts'
export type { DoneSession } from './job.ts'
export type { BatchBundleOptions, BatchSession } from './new-job.ts'
export type {
  BatchCallOptions,
  BatchProvider,
  BatchRequest,
  BatchRow,
  BatchRowError,
  BatchState,
  ModelWindow,
  SubmissionLookup,
  SubmissionQuery,
  SubmissionResult,
  VendorBatch,
  WindowOptions,
} from './provider.ts'
export {
  type SubmitBatchOptions,
  type SubmittedBatch,
  type SubmittedLogs,
  submitBatch,
  submittedLogs,
} from './submit-batch.ts'
