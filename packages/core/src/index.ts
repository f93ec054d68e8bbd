// What most programs need, by task. The rest of the public surface is in `entries`; anything else is internal.

// Compress a log: in one call, or in the steps that it takes.

export type { AssembleOptions } from './assemble/assemble-bundle.ts'
export { type CompressLogOptions, compressLog } from './compress-log.ts'
export { type CompressLogsOptions, compressLogs } from './compress-logs.ts'
export { type CompressOnceOptions, compressOnce, type LetGoOptions } from './compress-once.ts'
export {
  type CompressedBundle,
  type CompressedLog,
  type FinishOptions,
  finishLog,
  type LogToFinish,
} from './finish-log.ts'
export type { BudgetOptions } from './plan/budget.ts'
export type { BundlePlan, PlanOptions } from './plan/plan-bundle.ts'
export { type PreparedLog, type PrepareOptions, prepareLog } from './prepare-log.ts'
export { type SummarizedPlan, type SummarizeOptions, summarizePlan } from './summarize/summarize-plan.ts'
export type { BatchLog, CompressedInThread } from './threads/log-task.ts'
export type { FailedInThread, LogResult } from './threads/log-threads.ts'

// Read logs: find them, open them, and read them as sessions.

export { type FindLogsOptions, findLogs } from './readers/find/find-logs.ts'
export type { FoundFiles } from './readers/find/found-files.ts'
export type { LogInput } from './readers/open-log.ts'
export { type ReadSessionOptions, readSession } from './readers/read-session.ts'

// A session: the log in one vocabulary for all agents.

export type { SessionEvent } from './session/event.ts'
export type { Note } from './session/note.ts'
export type { ProgressEvent, Report } from './session/report-to-log.ts'
export type { Session } from './session/session.ts'
export type { TokenUsage } from './session/usage.ts'

// Facts: what is computed from a session, by the functions of `entries/facts`.

export type { Facts } from './facts/facts.ts'

// Redact secrets.

export { type Redactor, secretRedactor } from '@tenfold/redact'
export { redactSession } from './redact/redact-session.ts'

// Give a bundle by hand, or bring one of another tool.

export type { BundleFields } from './given/bundle-fields.ts'
export { type SaveBundleOptions, saveBundle } from './given/complete-bundle.ts'

// Bundles and briefs.

export { type BriefOptions, renderBrief } from './brief/render-brief.ts'
export type { BundleKind, SessionState } from './bundle/bundle-names.ts'
export { bundleFromMarkdown, bundleToMarkdown } from './bundle/markdown.ts'
export { parseBundle } from './bundle/parse-bundle.ts'
export type { ContextBundle, TrailEntry } from './bundle/schema.ts'
export { emptySummary } from './bundle/section-contents.ts'
export {
  type Decision,
  type NextStep,
  type SessionSummary,
  type SummaryItem,
  sessionSummarySchema,
} from './bundle/session-summary.ts'

// Report to a logger, and to OpenTelemetry.

export { type FieldLogger, type LineLogger, reportToFields, reportToLines } from './session/report-to-log.ts'
export { type TraceApi, type TraceHooks, type TraceSpan, traceSteps } from './summarize/trace-steps.ts'

// Keep bundles and logs: save, load, copy, prune, verify.

export { type BundleStore, type BundleStoreOptions, bundleStore } from './store/bundle-store.ts'
export type { HistoryEntry } from './store/history.ts'
export type { SavedBundle } from './store/save-to-store.ts'
export type { LatestBundle } from './store/stored-bundle.ts'

// Resume work, and check what still holds.

export { type Resumed, type ResumeOptions, resume } from './resume/resume.ts'

// Recall: search the archived logs.

export type { RecallOptions } from './recall/asked.ts'
export type { RecalledEvent, RecallHit } from './recall/hit.ts'
export { type RecallInStoreOptions, recall } from './recall/recall.ts'
export { type RecallAllOptions, recallAll } from './recall/recall-all.ts'
export { type Recalled, recalledToText } from './recall/recalled.ts'

// Checkpoints of unfinished work.

export { type CheckpointOptions, checkpoint } from './checkpoint/checkpoint.ts'
export type { Checkpoint } from './checkpoint/schema.ts'

// Write a reader.

export type { Reader } from './readers/reader/reader.ts'

// Write a summarizer: its contract, what it costs, and how summaries are split, merged and updated.

export type { PriceTable } from './summarize/cost/prices.ts'
export type { SpendingLimits } from './summarize/cost/spending.ts'
export type {
  Summarizer,
  SummarizerCall,
  SummaryControl,
  SummaryRequest,
  SummaryResult,
} from './summarize/summarizer.ts'
export { SummarizerError } from './summarize/summarizer-error.ts'

// Write a storage.

export { memoryStorage } from './storage/memory-storage.ts'
export type { Storage } from './storage/storage.ts'

// Write a token counter.

export { tiktokenCounter } from './tokens/tiktoken-counter.ts'
export type { TokenCounter } from './tokens/token-counter.ts'

// Errors.

export {
  type ErrorCode,
  errorCodes,
  InvalidBundleError,
  LogReadError,
  StorageConflictError,
  StorageError,
  TenfoldError,
} from './errors.ts'
