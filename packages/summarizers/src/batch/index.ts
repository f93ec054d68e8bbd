// The public surface of @tenfold/summarizers/batch: what is not named here is internal.

export { BatchError, type BatchErrorCode } from './batch-error.ts'
export type { BatchEvent, BatchReport } from './batch-event.ts'
export { type BatchStatus, batchStatus, listBatches } from './job/batch-status.ts'
export { cancelBatch } from './job/cancel-batch.ts'
export { type CollectBatchOptions, type CollectedBatch, collectBatch } from './job/collect-batch.ts'
export type { BatchLimits, EngineOptions } from './job/engine.ts'
export type { BatchBundleOptions } from './job/job-of.ts'
export type { BatchSession } from './job/store-session.ts'
export { type SubmitBatchOptions, type SubmittedBatch, submitBatch } from './job/submit-batch.ts'
export { type SubmittedLogs, submittedLogs } from './job/submitted-logs.ts'
export type { DoneSession } from './store/job-store.ts'
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
} from './vendor/batch-provider.ts'
