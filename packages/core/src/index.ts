// The public surface of @tenfold/core, by task: anything not listed here is internal.

// Compress a log: in one call, or in the steps that it takes.

export { type AssembleOptions, assembleBundle } from './assemble/assemble-bundle.ts'
export { assembleClean } from './assemble-clean.ts'
export { carriedToShow } from './carry/carried-to-show.ts'
export { type CarriedItem, type CarriedOver, carryOver, type OwnStatements } from './carry/carry-over.ts'
export { findMemory, type Memory } from './carry/find-memory.ts'
export { type CompressLogOptions, compressLog } from './compress-log.ts'
export { type CompressLogsOptions, compressLogs } from './compress-logs.ts'
export { type CompressOnceOptions, compressOnce, type LetGoOptions } from './compress-once.ts'
export {
  type CompressedBundle,
  type CompressedLog,
  checkBundleOptions,
  type FinishOptions,
  finishLog,
  type LogToFinish,
} from './finish-log.ts'
export type { HeldLease } from './ledger/held-lease.ts'
export { type DoneWork, type Ledger, openLedger } from './ledger/ledger.ts'
export { type RestoreArchiveOptions, restoreArchive } from './ledger/restore-archive.ts'
export { verifyLedger } from './ledger/verify-ledger.ts'
export { type CompressionRequest, workDigest, workDigests } from './ledger/work-digest.ts'
export { type LeaseOptions, type WorkLeaseOptions, withWorkLease } from './ledger/work-lease.ts'
export { type Budget, type BudgetOptions, summaryBudget } from './plan/budget.ts'
export type { Excerpt, ExcerptPart, PartKind } from './plan/excerpt.ts'
export { type BundlePlan, type PlanOptions, planBundle } from './plan/plan-bundle.ts'
export { type CondenseOptions, condenseTranscript } from './plan/transcript/condense-transcript.ts'
export type { TranscriptItem } from './plan/transcript-item.ts'
export {
  type PreparedLog,
  type PreparedSession,
  type PrepareOptions,
  prepareLog,
  prepareSession,
} from './prepare-log.ts'
export { carriedBeside, type ItemClaim, type SettledClaim, type ShownItem } from './summarize/shown-items.ts'
export { type SummarizedPlan, type SummarizeOptions, summarizePlan } from './summarize/summarize-plan.ts'
export { summarizedOf } from './summarize/summarized-of.ts'
export type { CompressedInThread } from './threads/log-task.ts'
export {
  type CompressInThreadOptions,
  type FailedInThread,
  type LogResult,
  type LogThreads,
  type LogThreadsOptions,
  logThreads,
  type ThreadLogOptions,
} from './threads/log-threads.ts'

// Read logs: find them, open them, and read them as sessions.

export { defaultReaders } from './readers/default-readers.ts'
export { digestLog } from './readers/digest-log.ts'
export { type FindLogsOptions, findLogs } from './readers/find/find-logs.ts'
export type {
  CompanionFile,
  FoundFiles,
  FoundLog,
  SkippedFile,
  SkippedFileCode,
  SkippedFolder,
} from './readers/find/found-files.ts'
export { listSessions } from './readers/list-sessions.ts'
export { type LogInput, type OpenLog, type OpenLogOptions, openLog } from './readers/open-log.ts'
export { type ReadSessionOptions, readSession } from './readers/read-session.ts'

// Where agents keep their logs on this machine.

export type { AgentPlace } from './sources/agents.ts'
export { type AgentLogs, type RetentionRule, type SourceAgent, sourceAgents } from './sources/agents.ts'
export { type AgentFinding, type AgentLog, findAgentLogs, thisPlace } from './sources/find-agent-logs.ts'

// A session: the log in one vocabulary for all agents.

export type { AbortableOptions } from './session/abortable-options.ts'
export { cleanLine, cleanText } from './session/clean-text.ts'
export { cutHead, cutTail } from './session/cut-text.ts'
export {
  type AssistantEvent,
  type CompactionEvent,
  type ContextEvent,
  type EventDraft,
  type EventId,
  eventIndex,
  eventTypes,
  type FileChange,
  type OtherEvent,
  type ReasoningEvent,
  type RewindEvent,
  type SessionEvent,
  type SourcePosition,
  type SubagentEvent,
  type ToolCallEvent,
  type ToolKind,
  type ToolResultEvent,
  type UserEvent,
} from './session/event.ts'
export { eventText } from './session/event-text.ts'
export type { Note } from './session/note.ts'
export type { ProgressEvent, Report } from './session/progress-report.ts'
export type { AgentNode, LineAccount, LogFileInfo, Session } from './session/session.ts'
export { addUsage, type TokenUsage, totalUsage, type UsageEntry, usageBy } from './session/usage.ts'
export {
  measureSession,
  type SessionTokens,
  type TokenCategory,
  tokenCategories,
} from './tokens/measure-session.ts'

// Facts: what is computed from a session.

export { failingCheck, mayComeNext } from './facts/commands/next-command.ts'
export { isAttributed } from './facts/commands/quoted-commands.ts'
export { extractFacts } from './facts/extract-facts.ts'
export type {
  CheckFact,
  CommandFact,
  CommandProposal,
  CommitFact,
  ConstraintCandidate,
  ConstraintFact,
  ErrorFact,
  Facts,
  FileFact,
  Identifier,
  IdentifierKind,
  NamedFileFact,
  ProjectRuleFact,
  StateFact,
  TaskFact,
  WorkPhase,
} from './facts/facts.ts'
export { isOpenError } from './facts/facts.ts'
export { sessionTitle } from './facts/session-title.ts'
export { askingPart } from './facts/state/last-turn.ts'

// Redact secrets.

export { type PatternRedactorOptions, patternRedactor } from './redact/pattern-redactor.ts'
export { learnSession, redactSession } from './redact/redact-session.ts'
export { createRedaction, type Redaction, type RedactTextOptions } from './redact/redaction.ts'
export type { Redactor, SecretFinding } from './redact/redactor.ts'
export { type SecretRedactorOptions, secretRedactor } from './redact/secret-redactor.ts'
export { envValues } from './redact/values/env-values.ts'
export { valueRedactor } from './redact/values/value-redactor.ts'

// Give a bundle by hand, or bring one of another tool.

export { type BundleFields, parseBundleFields } from './given/bundle-fields.ts'
export type { CompleteOptions, GivenSource } from './given/complete-bundle.ts'
export { type SaveBundleOptions, saveBundle } from './given/save-bundle.ts'
export { type CompleteCheckpointOptions, completeCheckpoint } from './import/complete-checkpoint.ts'
export {
  type CompleteForeignOptions,
  completeForeign,
  type ForeignBundle,
} from './import/foreign-bundle.ts'
export type { DumpFiles } from './import/foreign-dump.ts'
export { type ImportDumpOptions, type ImportedDump, importDump } from './import/import-dump.ts'
export type { ForeignCheckpoint, ForeignPointer } from './import/read-checkpoints.ts'
export { type Recognized, readGivenBundle, recognizeFile } from './import/recognize.ts'

// Bundles and briefs.

export { type BriefOptions, renderBrief } from './brief/brief.ts'
export { newBundleId } from './bundle/bundle-id.ts'
export { type BundleKind, bundleKinds, type SessionState } from './bundle/bundle-names.ts'
export { withStepsLeft } from './bundle/carried-section.ts'
export {
  type BundleCost,
  type BundleUsage,
  compressionRatio,
  usageSchema,
} from './bundle/compression-schema.ts'
export type {
  BundleCommand,
  BundleCompression,
  BundleError,
  BundleFile,
  BundleGit,
  BundleNote,
  BundleProjectRule,
  BundleSource,
  BundleValidation,
} from './bundle/entries.ts'
export { bundleFromMarkdown, bundleToMarkdown } from './bundle/markdown.ts'
export { parseBundle } from './bundle/parse-bundle.ts'
export { bundleJsonSchema, bundleSchema, type ContextBundle, type TrailEntry } from './bundle/schema.ts'
export { emptySummary, type SummarySection, summarySections } from './bundle/section-contents.ts'
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

export { isTrackName } from './bundle/bundle-names.ts'
export { checkpointKey } from './checkpoint/checkpoint-keys.ts'
export { archivableLog } from './store/archive/archivable-log.ts'
export type { ArchivableFile, ArchivableLog, ArchivedLog, RedactedFile } from './store/archive/archive-log.ts'
export type { ArchivedFile } from './store/archive/read-archive.ts'
export { type RedactedLog, redactLog } from './store/archive/redact-log.ts'
export { bundleKey, bundleMarkdownKey } from './store/bundle-keys.ts'
export {
  type BundleStore,
  type BundleStoreOptions,
  bundleStore,
} from './store/bundle-store.ts'
export { type CopyOptions, type CopyProgress, type CopyResult, copyStore } from './store/copy/copy-store.ts'
export type { HistoryEntry } from './store/history-entry.ts'
export type { LatestBundle } from './store/latest.ts'
export type { BundleFilter } from './store/list-entries.ts'
export type { DeletePolicy, PrunePolicy } from './store/prune/choose-pruned.ts'
export { type PruneOptions, type PrunePlan, type PruneResult, planPrune, prune } from './store/prune/prune.ts'
export type { SkippedKey } from './store/prune/prune-state.ts'
export type { SavedBundle } from './store/save-to-store.ts'
export type { FindingCode, StoreFinding } from './store/verify/store-finding.ts'
export {
  type VerifyOptions,
  type VerifyProgress,
  type VerifyReport,
  verifyStore,
} from './store/verify/verify-store.ts'

// Resume work, and check what still holds.

export type { GitClaim, LiveFinding } from './git/compare-git.ts'
export { findingLines } from './git/finding-lines.ts'
export { type GitLine, gitLine } from './git/git-line.ts'
export {
  type ClaimedFile,
  type LiveCheck,
  type LiveCheckOptions,
  type LiveClaim,
  liveCheck,
} from './git/live-check.ts'
export type { ChangedFile } from './git/parse-status.ts'
export { type GitReading, type GitRepository, type ReadGitOptions, readGit } from './git/read-git.ts'
export { shownNames, shownPath } from './git/shown-path.ts'
export type { Gathered, GatherOptions } from './resume/gather.ts'
export type { LoadedFiles, LoadFilesOptions } from './resume/load-files.ts'
export { type Resumed, type ResumeOptions, resume } from './resume/resume.ts'

// Recall: search the archived logs.

export type { RecallOptions } from './recall/asked.ts'
export type { RecallFacets } from './recall/facets.ts'
export type { RecalledEvent, RecallHit } from './recall/hit.ts'
export { type OpenArchiveOptions, openArchivedLog, readArchivedSession } from './recall/open-archive.ts'
export { type RecallInStoreOptions, recall } from './recall/recall.ts'
export { type RecallAllOptions, recallAll } from './recall/recall-all.ts'
export { type Recalled, recalledToText } from './recall/recalled.ts'
export type { SearchEntry } from './recall/search-entry.ts'
export type { RecallMatch } from './recall/search-log.ts'
export { type SearchableLog, type SearchedLog, searchableLog } from './recall/searchable-log.ts'

// Checkpoints of unfinished work.

export { checkCheckpoint } from './checkpoint/check-checkpoint.ts'
export { type CheckpointOptions, checkpoint } from './checkpoint/checkpoint.ts'
export type { CheckpointEntry } from './checkpoint/checkpoint-entry.ts'
export {
  type CheckpointFilter,
  type CheckpointStore,
  type CheckpointStoreOptions,
  checkpointStore,
  type SavedCheckpoint,
} from './checkpoint/checkpoint-store.ts'
export { cleanCommand } from './checkpoint/clean-command.ts'
export type { CheckpointPointer, LatestCheckpoint } from './checkpoint/latest-checkpoint.ts'
export { checkpointToMarkdown } from './checkpoint/markdown.ts'
export { pruneCheckpoints } from './checkpoint/prune-checkpoints.ts'
export {
  type Checkpoint,
  type CheckpointValidation,
  checkpointSchema,
  parseCheckpoint,
} from './checkpoint/schema.ts'
export { type CheckpointReport, verifyCheckpoints } from './checkpoint/verify-checkpoints.ts'

// Halt dumps: what a halted run leaves.

export type { ToolCallRecord } from './halt/collect/collect-conversation.ts'
export { environmentSecrets } from './halt/collect/environment-values.ts'
export { type DumpedHalt, dumpHalt, type WrittenDump } from './halt/dump-halt.ts'
export type {
  DumpManifest,
  DumpMetadata,
  DumpNote,
  DumpPart,
  FileManifest,
  MissingPart,
} from './halt/dump-schema.ts'
export { type ExportDumpOptions, exportDump } from './halt/export/export-dump.ts'
export { type ExportedDump, openExportedDump } from './halt/export/open-exported-dump.ts'
export type { DumpHaltOptions, DumpLimits, Halt, HaltedAgent } from './halt/halt.ts'
export {
  type HaltDump,
  haltIds,
  loadDump,
  readDumpedFile,
  readFileManifest,
  snapshotPaths,
} from './halt/read-dump.ts'
export type { RestoreFinding } from './halt/restore/check-restored.ts'
export { type RestoreDumpOptions, type RestoredDump, restoreDump } from './halt/restore/restore-dump.ts'
export {
  type DeletedDump,
  type DumpEntry,
  type DumpFilter,
  deleteDump,
  listDumps,
  pruneDumps,
} from './halt/stored-dumps.ts'
export { type DumpFinding, type DumpReport, verifyDump } from './halt/verify-dump.ts'

// Replay: an earlier run as events of a task.

export type { ConversationTurn } from './readers/cursor/conversation-turn.ts'
export { createEventLog, type EventLog, type EventLogOptions, type EventsAfter } from './replay/event-log.ts'
export { liveOnly, liveSessionId, liveUrls } from './replay/live-only.ts'
export { type ConversationRun, type RunLister, replayLatestRun, replayRun } from './replay/replay-run.ts'
export { type ReplayOptions, replaySession } from './replay/replay-session.ts'
export { type ServeEventsOptions, serveEvents } from './replay/serve-events.ts'
export {
  encodeServerSentMessage,
  type ServerSentMessage,
  serverSentHeartbeat,
} from './replay/server-sent-event.ts'
export {
  type AssistantTaskEvent,
  isReplayed,
  type ReplayedEvent,
  type TaskEvent,
  type ToolProgressEvent,
  type ToolSummaryEvent,
  type UserTaskEvent,
} from './replay/task-event.ts'
export { withReplay } from './replay/with-replay.ts'

// Convert a session to other formats.

export type {
  AtifExtra,
  AtifResult,
  AtifStep,
  AtifToolCall,
  AtifTrajectory,
} from './convert/atif-trajectory.ts'
export { sessionToAtif } from './convert/session-to-atif.ts'
export { type SessionMarkdownOptions, sessionToMarkdown } from './convert/session-to-markdown.ts'
export { sessionToJsonl } from './readers/tenfold/write-session.ts'

// Write a reader.

export { defineReader } from './readers/reader/define-reader.ts'
export type {
  Framing,
  LogHead,
  LogRecord,
  LogRow,
  Reader,
  SessionListing,
  SessionMeta,
  SessionWriter,
} from './readers/reader/reader.ts'
export type { Recipe } from './session/recipe.ts'

// Write a summarizer: its contract, what it costs, and how summaries are split, merged and updated.

export { costOf, maxCostOf, usageIsPartial } from './summarize/cost/cost.ts'
export { defaultPrices, type ModelPrice, type PriceTable, parsePriceTable } from './summarize/cost/prices.ts'
export {
  type Spending,
  type SpendingLimits,
  trackSpending,
  withSharedSpending,
} from './summarize/cost/spending.ts'
export { type MergeOptions, mergeSummaries, type SummarizedPart } from './summarize/parts/merge-summaries.ts'
export { type SplitOptions, splitTranscript, transcriptTokens } from './summarize/parts/split-transcript.ts'
export type {
  CallEstimate,
  Summarizer,
  SummarizerCall,
  SummaryControl,
  SummaryRequest,
  SummaryResult,
} from './summarize/summarizer.ts'
export {
  SummarizerError,
  type SummarizerErrorOptions,
  type SummarizerFailure,
  summarizerFailures,
} from './summarize/summarizer-error.ts'
export {
  numberStatements,
  type Statement,
  type SummaryDelta,
  updateSummary,
} from './summarize/update-summary.ts'

// Write a storage.

export { memoryStorage } from './storage/memory-storage.ts'
export { putIfAbsent, putIfMatch } from './storage/put-if-absent.ts'
export type { ListOptions, PutCondition, StagedBytes, Storage, StoredObject } from './storage/storage.ts'
export { assertStorageKey, storageKeyFault } from './storage/storage-key.ts'
export { damaged, decodeJson, encodeJson } from './storage/stored-json.ts'

// Write a token counter.

export { tiktokenCounter } from './tokens/tiktoken-counter.ts'
export type { TokenCounter } from './tokens/token-counter.ts'

// Read what someone else may have put there.

export { decodeLog } from './readers/log/decode-log.ts'
export { defaultMaxLogBytes } from './readers/log/unpack-limit.ts'
export { type ReadRegularOptions, readRegularFile, regularFileBlocks } from './regular-file.ts'

// Errors.

export {
  type ErrorCode,
  errorCodes,
  InvalidBundleError,
  LogReadError,
  messageOf,
  StorageConflictError,
  StorageError,
  TenfoldError,
} from './errors.ts'
