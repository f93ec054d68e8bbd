// The public surface of @tenfold/core: what is not named here is internal.

export { type AssembleOptions, assembleBundle } from './assemble/assemble-bundle.ts'
// Bundles.
export { type BriefOptions, renderBrief } from './bundle/brief.ts'
export {
  type Decision,
  emptyJudgement,
  type Judgement,
  type JudgementItem,
  judgementSchema,
  type NextStep,
} from './bundle/judgement.ts'
export { bundleFromMarkdown, bundleToMarkdown } from './bundle/markdown.ts'
export {
  type BundleKind,
  bundleJsonSchema,
  bundleKinds,
  bundleSchema,
  type ContextBundle,
  newBundleId,
  parseBundle,
  type TrailEntry,
} from './bundle/schema.ts'
export { type CompressedLog, type CompressLogOptions, compressLog } from './compress-log.ts'
export {
  InvalidBundleError,
  LogReadError,
  StorageConflictError,
  StorageError,
  TenfoldError,
} from './errors.ts'
export { extractFacts } from './facts/extract-facts.ts'
export type {
  CommandFact,
  CommitFact,
  ErrorFact,
  Facts,
  FileFact,
  Identifier,
  IdentifierKind,
  RequirementFact,
  TaskFact,
} from './facts/facts.ts'
export type { Budget, BudgetOptions } from './plan/budget.ts'
export type { Excerpt, ExcerptPart, PartClass } from './plan/excerpt.ts'
export { type BundlePlan, type PlanOptions, planBundle } from './plan/plan-bundle.ts'
export type { ReadingItem } from './plan/reading-item.ts'
// Readers.
export { defaultReaders } from './readers/default-readers.ts'
export { type LogInput, type OpenLog, type OpenLogOptions, openLog } from './readers/open-log.ts'
export { type ReadSessionOptions, readSession } from './readers/read-session.ts'
export type { LogHead, LogRecord, Reader, SessionMeta, SessionWriter } from './readers/reader.ts'
export { sessionToJsonl } from './readers/tenfold/write-session.ts'

// The steps of compressLog.
export { redactSession } from './redact/redact-session.ts'
export type { Redactor } from './redact/redactor.ts'
export type { ProgressEvent, Report } from './report/report.ts'
export { cleanLine, cleanText } from './session/clean-text.ts'
export { cutHead, cutTail } from './session/cut-text.ts'
// Session: the log in one vocabulary.
export type {
  AssistantEvent,
  CompactionEvent,
  ContextEvent,
  EventDraft,
  EventId,
  FileChange,
  OtherEvent,
  ReasoningEvent,
  RewindEvent,
  SessionEvent,
  SourcePosition,
  SubagentEvent,
  ToolCallEvent,
  ToolKind,
  ToolResultEvent,
  UserEvent,
} from './session/event.ts'
export { eventIndex } from './session/event.ts'
export { eventText } from './session/event-text.ts'
export type { Note } from './session/note.ts'
export type { AgentNode, LineAccount, LogFileInfo, Session } from './session/session.ts'
export { addUsage, type TokenUsage, totalUsage, type UsageEntry, usageBy } from './session/usage.ts'
// Storage.
export {
  type ArchivableLog,
  type ArchivedFile,
  type ArchivedLog,
  archiveFileKey,
  archiveKey,
} from './store/archive-log.ts'
export {
  bundleKey,
  bundleMarkdownKey,
  historyKey,
  latestKey,
  latestMarkdownKey,
} from './store/bundle-keys.ts'
export {
  type BundleFilter,
  type BundleStore,
  type BundleStoreOptions,
  bundleStore,
  type SavedBundle,
} from './store/bundle-store.ts'
export type { HistoryEntry } from './store/history-entry.ts'
export type { Latest, LatestBundle } from './store/latest.ts'
export { memoryStorage } from './store/memory-storage.ts'
export type { PutCondition, Storage, StoredObject } from './store/storage.ts'
export { assertStorageKey, storageKeyFault } from './store/storage-key.ts'
export { type SummarizedPlan, type SummarizeOptions, summarizePlan } from './summarize/summarize-plan.ts'
export type {
  Summarizer,
  SummarizerCall,
  SummaryRequest,
  SummaryResult,
} from './summarize/summarizer.ts'
export { SummarizerError } from './summarize/summarizer-error.ts'
// Tokens.
export {
  measureSession,
  type SessionTokens,
  type TokenCategory,
  tokenCategories,
} from './tokens/measure-session.ts'
export { tiktokenCounter } from './tokens/tiktoken-counter.ts'
export type { TokenCounter } from './tokens/token-counter.ts'
