// Maintain a store: archives, checkpoints, pruning, copying and verification.

export type { CheckpointEntry } from '../checkpoint/checkpoint-entry.ts'
export {
  type CheckpointFilter,
  type CheckpointStore,
  type CheckpointStoreOptions,
  checkpointStore,
  type SavedCheckpoint,
} from '../checkpoint/checkpoint-store.ts'
export type { CheckpointPointer, LatestCheckpoint } from '../checkpoint/latest-checkpoint.ts'
export { checkpointToMarkdown } from '../checkpoint/markdown.ts'
export { pruneCheckpoints } from '../checkpoint/prune-checkpoints.ts'
export { type CheckpointValidation, parseCheckpoint } from '../checkpoint/schema.ts'
export { type CheckpointReport, verifyCheckpoints } from '../checkpoint/verify-checkpoints.ts'
export type { GitClaim, LiveFinding } from '../git/compare-git.ts'
export type { ClaimedFile, LiveCheck, LiveCheckOptions, LiveClaim } from '../git/live-check.ts'
export type { ChangedFile } from '../git/parse-status.ts'
export type { GitReading, GitRepository, ReadGitOptions } from '../git/read-git.ts'
export { type OpenArchiveOptions, openArchivedLog, readArchivedSession } from '../recall/open-archive.ts'
export type { SearchEntry } from '../recall/search-entry.ts'
export type { RecallFacets, RecallMatch } from '../recall/search-log.ts'
export { type SearchableLog, type SearchedLog, searchableLog } from '../recall/searchable-log.ts'
export type { Gathered, GatherOptions } from '../resume/gather.ts'
export type { LoadedFiles, LoadFilesOptions } from '../resume/load-files.ts'
export type {
  ArchivableFile,
  ArchivableLog,
  ArchivedLog,
  RedactedFile,
} from '../store/archive/archive-log.ts'
export type { ArchivedFile } from '../store/archive/read-archive.ts'
export { type CopyOptions, type CopyProgress, type CopyResult, copyStore } from '../store/copy-store.ts'
export type { BundleFilter } from '../store/history.ts'
export type { DeletePolicy, PrunePolicy } from '../store/prune/policy.ts'
export {
  type PruneOptions,
  type PrunePlan,
  type PruneResult,
  planPrune,
  prune,
} from '../store/prune/prune.ts'
export type { SkippedKey } from '../store/prune/prune-state.ts'
export type { FindingCode, StoreFinding } from '../store/verify/store-finding.ts'
export {
  type VerifyOptions,
  type VerifyProgress,
  type VerifyReport,
  verifyStore,
} from '../store/verify/verify-store.ts'
