import type { BundleKind } from '../bundle/schema.ts'
import type { SessionSummary } from '../bundle/session-summary.ts'
import type { Facts } from '../facts/facts.ts'
import type { TranscriptItem } from '../plan/transcript-item.ts'
import type { TokenUsage } from '../session/usage.ts'

/** What a summarizer is given: the condensed session, never the raw log. */
export interface SummaryRequest {
  readonly kind: BundleKind
  readonly items: readonly TranscriptItem[]
  readonly facts: Facts
  /** About how many tokens the summary may take. */
  readonly maxTokens: number
  /** Which part of the session the items are, where it does not fit one request. */
  readonly part?: { readonly number: number; readonly of: number }
  /**
   * What was summarized before: the result is this summary brought up to date with the items, which may be none. Given
   * only to a summarizer that is `incremental`.
   */
  readonly earlier?: SessionSummary
}

/** One call of a model, also one that failed: what was billed is never lost. */
export interface SummarizerCall {
  readonly summarizer: string
  readonly model?: string
  /** What it was for: `summarize`, `part 2/5`, `merge`, `update`, with `repair` where it corrects an answer. */
  readonly purpose?: string
  readonly requestId?: string
  readonly stop?: string
  /** `batch` where the provider bills it as such. */
  readonly tier?: 'batch'
  readonly durationMs?: number
  readonly error?: string
  /** True if the call failed after its answer had begun: it may be billed, whatever the error is. */
  readonly begun?: boolean
  /** What the provider reported; a field that is absent is unknown, not 0. */
  readonly usage: TokenUsage
}

/** What a call will take at most, told before it is made. */
export interface CallEstimate {
  readonly summarizer: string
  readonly model?: string
  /** An upper estimate. */
  readonly inputTokens: number
  /** What the request asks for: the provider ends the answer there. */
  readonly maxOutputTokens: number
  /** Input that may be billed as written to a cache. @default all of it */
  readonly cacheWriteTokens?: number
  readonly tier?: 'batch'
}

export interface SummaryResult {
  readonly summary: SessionSummary
  readonly calls: readonly SummarizerCall[]
  readonly promptVersion?: string
}

/** What the caller of a summarizer holds in the hand while it works. */
export interface SummaryControl {
  readonly signal: AbortSignal
  /** Asked before every call, retries and repairs too; throws where the limits of the caller do not allow it. */
  readonly admit?: (estimate: CallEstimate) => void
  /** Told of every call as it ends, before anything else can go wrong. */
  readonly onCall?: (call: SummarizerCall) => void
}

/**
 * Summarizes a session. Laws: the same request gives a summary of the same shape; evidence names events of the request;
 * rejects with SummarizerError rather than return junk, and carries the calls made until then in it; stops promptly when
 * the signal aborts, rejecting with its reason.
 */
export interface Summarizer {
  readonly name: string
  readonly model?: string
  /**
   * Tokens of items that one request may hold, in the count of the plan: what instructions and answer take of the model's
   * window is off already. Absent where there is no limit.
   */
  readonly contextWindow?: number
  /** True where it can bring an `earlier` summary up to date instead of reading all again. @default false */
  readonly incremental?: boolean
  /** What the first call for a request will take. Absent if no model is called: then limits of cost and time do not apply. */
  estimate?(request: SummaryRequest): CallEstimate
  summarize(request: SummaryRequest, control: SummaryControl): Promise<SummaryResult>
}
