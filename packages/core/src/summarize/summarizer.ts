import type { BundleKind } from '../bundle/bundle-names.ts'
import type { SessionSummary } from '../bundle/session-summary.ts'
import type { Facts } from '../facts/facts.ts'
import type { TranscriptItem } from '../plan/transcript-item.ts'
import type { Recipe } from '../session/recipe.ts'
import type { TokenUsage } from '../session/usage.ts'
import type { SettledClaim, ShownItem } from './shown-items.ts'

/** Input of a summarizer: the condensed session, never the raw log. */
export interface SummaryRequest {
  /** The kind of bundle that the summary is for. */
  readonly kind: BundleKind
  /** What to read, in order. */
  readonly items: readonly TranscriptItem[]
  /** What was computed from the tool calls. */
  readonly facts: Facts
  /** Source tokens of the events that the items were condensed from, in the plan's count. */
  readonly sourceTokens?: number
  /** Approximate maximum tokens of the summary. */
  readonly maxTokens: number
  /** Which part of the session the items are, if it does not fit one request. */
  readonly part?: { readonly number: number; readonly of: number }
  /**
   * An earlier summary: the result is this summary updated by the items, which may be none. Given only to a summarizer
   * that is `incremental`.
   */
  readonly earlier?: SessionSummary
  /**
   * What earlier sessions left that still seems to hold: data, and no part of the summary. Given only to a summarizer
   * that has `estimate`, with the last items of a session; it may answer in `settled` what of it this session did, revoked
   * or changed.
   */
  readonly carried?: readonly ShownItem[]
}

/** One call of a model, including failed ones: no billed usage is lost. */
export interface SummarizerCall {
  /** Its name. */
  readonly summarizer: string
  /** As the vendor reports it. */
  readonly model?: string
  /** Purpose of the call: `summarize`, `part 2/5`, `merge`, `update`, with `repair` if it corrects an answer. */
  readonly purpose?: string
  /** The vendor's id of the request. */
  readonly requestId?: string
  /** Why the answer ended, as the vendor says. */
  readonly stop?: string
  /** `batch` if the provider bills it as such. */
  readonly tier?: 'batch'
  /** From the request to the end of the answer. */
  readonly durationMs?: number
  /** Why it failed; absent if it did not. */
  readonly error?: string
  /** True if the call failed after its answer had begun: it may be billed, whatever the error is. */
  readonly begun?: boolean
  /** Usage as reported by the provider; an absent field is unknown, not 0. */
  readonly usage: TokenUsage
}

/** Upper bounds of a call, known before it is made. */
export interface CallEstimate {
  /** Its name. */
  readonly summarizer: string
  /** The model that would be asked. */
  readonly model?: string
  /** An upper estimate. */
  readonly inputTokens: number
  /** The limit that the request sets: the provider ends the answer there. */
  readonly maxOutputTokens: number
  /** Input that may be billed as written to a cache. @default all of it */
  readonly cacheWriteTokens?: number
  /** Set for calls at the batch price. */
  readonly tier?: 'batch'
}

/** A summary, and what it cost. */
export interface SummaryResult {
  /** Its statements, each with the events that support it. */
  readonly summary: SessionSummary
  /** Which of the carried items the session did, revoked or changed. Each claim is checked against its event. */
  readonly settled?: readonly SettledClaim[]
  /** Each call of a model that was billed, also those that failed. */
  readonly calls: readonly SummarizerCall[]
  /** Version of the prompt, if there is one. */
  readonly promptVersion?: string
}

/** How the caller controls and observes a summarizer while it works. */
export interface SummaryControl {
  /** Aborts the call. */
  readonly signal: AbortSignal
  /**
   * Awaited before every call, including retries and repairs: throws if the caller's limits do not allow it, and takes its
   * time if they allow it later.
   */
  readonly admit?: (estimate: CallEstimate) => void | Promise<void>
  /** Receives every call as it ends, before anything else can go wrong. */
  readonly onCall?: (call: SummarizerCall) => void
}

/**
 * Summarizes a session. Laws: the same request gives a summary of the same shape; evidence names events of the request;
 * rejects with {@link SummarizerError} rather than return junk, and the error carries the calls made so far; stops
 * promptly when the signal aborts, rejecting with its reason.
 */
export interface Summarizer {
  /** Appears in bundles and reports. */
  readonly name: string
  /** Absent if it asks none. */
  readonly model?: string
  /** Version of its prompt or rules, if it has one: a log is summarized again when that changes. */
  readonly promptVersion?: string
  /** Tells summarizers of one model apart, such as by its effort: a log is summarized again when that changes. */
  readonly settings?: string
  /** How to make it in another thread; without it, the main thread answers for it, as it should if it waits for a model. */
  readonly recipe?: Recipe
  /**
   * Tokens of items that one request may hold, in the plan's count: the share of instructions and answer is already
   * deducted. Absent if there is no limit.
   */
  readonly contextWindow?: number
  /**
   * True if it reads the transcript with nothing left out: it calls no model, so that reading costs nothing. Otherwise
   * the transcript is condensed to `maxReadRatio` of the source tokens.
   * @default false
   */
  readonly readsWhole?: boolean
  /**
   * Tokens that a request about so many source tokens takes beside its items, in the plan's count: instructions, facts.
   * They count towards `maxReadRatio`.
   * @default 0
   */
  promptTokens?(facts: Facts, sourceTokens: number): number
  /** True if it can update an `earlier` summary instead of reading everything again. @default false */
  readonly incremental?: boolean
  /**
   * Upper bounds of the first call for a request. Absent if no model is called: then limits of cost and time do not
   * apply.
   */
  estimate?(request: SummaryRequest): CallEstimate
  /**
   * Called before a log is read: rejects with TenfoldError, such as `missing-api-key`, if it cannot work at all. Then the
   * next one of a chain is asked, and without one nothing is done. @default it can work
   */
  assertReady?(): Promise<void>
  /**
   * Returns what the session says. Rejects with `SummarizerError` rather than return junk, with the calls
   * that were billed.
   */
  summarize(request: SummaryRequest, control: SummaryControl): Promise<SummaryResult>
}
