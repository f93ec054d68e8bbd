// All that a summarizer needs.

export type { BundleKind } from '../bundle/bundle-names.ts'
export type { Decision, NextStep, SessionSummary, SummaryItem } from '../bundle/session-summary.ts'
export { type ErrorCode, TenfoldError } from '../errors.ts'
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
} from '../facts/facts.ts'
export type { TranscriptItem } from '../plan/transcript-item.ts'
export type { EventId } from '../session/event.ts'
export type { TokenUsage } from '../session/usage.ts'
export type { ItemClaim, SettledClaim, ShownItem } from '../summarize/shown-items.ts'
export type {
  CallEstimate,
  Summarizer,
  SummarizerCall,
  SummaryControl,
  SummaryRequest,
  SummaryResult,
} from '../summarize/summarizer.ts'
export {
  SummarizerError,
  type SummarizerErrorOptions,
  type SummarizerFailure,
  summarizerFailures,
} from '../summarize/summarizer-error.ts'
export type { TokenCounter } from '../tokens/token-counter.ts'
