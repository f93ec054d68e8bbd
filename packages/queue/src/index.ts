// The public surface of @tenfold/queue: anything not listed here is internal.

export type { Json } from './job.ts'
export type { Rate, Rates } from './meter-calls.ts'
export type { QueuePlace } from './open-queue.ts'
export {
  type QueuedOptions,
  type QueueLogResult,
  type QueueLogsOptions,
  type QueueParts,
  queueLogs,
} from './queue-logs.ts'
export {
  type DrainOptions,
  drainQueue,
  type FailedLog,
  type QueueStatus,
  queueStatus,
  type RetryOptions,
  type RunStatus,
  retryJobs,
} from './queue-status.ts'
export {
  type FinishedLog,
  type QueueEvent,
  type QueueWorker,
  type QueueWorkerOptions,
  queueWorker,
} from './queue-worker.ts'
