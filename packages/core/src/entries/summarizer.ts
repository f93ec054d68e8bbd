// What a summarizer needs, without the rest.

export { copyText } from '@tenfold/tokens/internal'
export type { BundleKind } from '../bundle/bundle-names.ts'
export type { Decision, NextStep, SessionSummary, SummaryItem } from '../bundle/session-summary.ts'
export { type ErrorCode, errorCodes, TenfoldError } from '../errors.ts'
export { isErrand, isRemark } from '../facts/answers/errands.ts'
export { failingCheck, mayComeNext } from '../facts/commands/next-command.ts'
export { splitSentences } from '../facts/constraints/sentences.ts'
export type { CheckFact, CommandFact, Facts, ProjectRuleFact, StateFact, TaskFact } from '../facts/facts.ts'
export { isOpenError } from '../facts/facts.ts'
export { askingPart } from '../facts/state/last-turn.ts'
export { isUnfinished, titlesUnfinished } from '../facts/state/unfinished.ts'
export { takesBackLast } from '../facts/withdrawn-messages.ts'
export type { TranscriptItem } from '../plan/transcript-item.ts'
export { cleanLine, cleanText } from '../session/clean-text.ts'
export { cutHead, cutTail } from '../session/cut-text.ts'
export { type EventId, eventIndex } from '../session/event.ts'
export type { TokenUsage } from '../session/usage.ts'
export type { SettledClaim, ShownItem } from '../summarize/shown-items.ts'
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
export {
  numberStatements,
  type Statement,
  type SummaryDelta,
  updateSummary,
} from '../summarize/update-summary.ts'
export { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
export type { TokenCounter } from '../tokens/token-counter.ts'
