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
  /** Computed from the tool calls of the session. */
  readonly facts: Facts
  /** Source tokens of the events that the items cover, in the plan's count. */
  readonly sourceTokens?: number
  /** Approximate maximum tokens of the summary. */
  readonly maxTokens: number
  /** Set if the session does not fit into one request: which part the items are. */
  readonly part?: { readonly number: number; readonly of: number }
  /**
   * An earlier summary, which the result updates by the items; there may be none. Given only to a summarizer that is
   * `incremental`.
   */
  readonly earlier?: SessionSummary
  /**
   * Items from earlier sessions that still seem to hold: data, not a part of the summary. Given only to a summarizer
   * with `estimate`, with the last items of a session. It may claim in `settled` that this session did, revoked or
   * changed some.
   */
  readonly carried?: readonly ShownItem[]
}

/** One call of a model, including failed ones, so that no billed usage is lost. */
export interface SummarizerCall {
  /** Name of the summarizer. */
  readonly summarizer: string
  /** Name that the vendor reports. */
  readonly model?: string
  /** `summarize`, `part 2/5`, `merge` or `update`, with `repair` if it corrects an answer. */
  readonly purpose?: string
  /** The vendor's id of the request. */
  readonly requestId?: string
  /** Why the answer ended, as reported by the vendor. */
  readonly stop?: string
  /** `batch` if the provider bills it as such. */
  readonly tier?: 'batch'
  /** From the request to the end of the answer. */
  readonly durationMs?: number
  /** Reason of a failure; absent if the call succeeded. */
  readonly error?: string
  /** True if the call failed after its answer had begun: it may be billed, whatever the error is. */
  readonly begun?: boolean
  /** Usage as reported by the provider; an absent field is unknown, not 0. */
  readonly usage: TokenUsage
}

/** Upper bounds of a call before it is made. */
export interface CallEstimate {
  /** Name of the summarizer. */
  readonly summarizer: string
  /** Model that would be called. */
  readonly model?: string
  /** Upper estimate. */
  readonly inputTokens: number
  /** Limit in the request, at which the provider ends the answer. */
  readonly maxOutputTokens: number
  /** Input that may be billed as written to a cache. @default all of it */
  readonly cacheWriteTokens?: number
  /** Set for calls at the batch price. */
  readonly tier?: 'batch'
}

/** A summary with the calls that produced it. */
export interface SummaryResult {
  /** The session summary, each statement with the events that support it. */
  readonly summary: SessionSummary
  /** Carried items that the session did, revoked or changed. Each claim is checked against its event. */
  readonly settled?: readonly SettledClaim[]
  /** All calls that may be billed, including failed ones. */
  readonly calls: readonly SummarizerCall[]
  /** Version of the prompt, if there is one. */
  readonly promptVersion?: string
}

/** How the caller controls and observes a summarizer while it works. */
export interface SummaryControl {
  /** Aborts the call. */
  readonly signal: AbortSignal
  /**
   * Awaited before every call, including retries and repairs. Throws if the caller's limits do not allow it, and waits
   * if they allow it later.
   */
  readonly admit?: (estimate: CallEstimate) => void | Promise<void>
  /** Receives every call as it ends, before anything else can fail. */
  readonly onCall?: (call: SummarizerCall) => void
}

/**
 * Summarizes a session. Laws: the same request gives a summary of the same shape; evidence names events of the request;
 * it rejects with {@link SummarizerError}, which carries all calls, rather than return junk; and it stops promptly if
 * the signal aborts, rejecting with its reason.
 */
export interface Summarizer {
  /** Used in bundles and reports. */
  readonly name: string
  /** Absent if it calls no model. */
  readonly model?: string
  /** Version of its prompt or rules, if any. A log is summarized again if it changes. */
  readonly promptVersion?: string
  /** Distinguishes summarizers with one model, such as by effort. A log is summarized again if it changes. */
  readonly settings?: string
  /**
   * How to make it in another thread. Without it, calls from threads are answered by the main thread, as is best for a
   * summarizer that waits for a model.
   */
  readonly recipe?: Recipe
  /**
   * Maximum tokens of items in one request, in the plan's count, without instructions and answer. Absent if there is no
   * limit.
   */
  readonly contextWindow?: number
  /**
   * True if it reads the uncut transcript, because it calls no model and reading costs nothing. Otherwise the
   * transcript is condensed to `maxReadRatio` of the source tokens.
   * @default false
   */
  readonly readsWhole?: boolean
  /**
   * Returns the tokens of a request without its items, in the plan's count: instructions and facts. They count towards
   * `maxReadRatio`.
   * @default 0
   */
  promptTokens?(facts: Facts, sourceTokens: number): number
  /** True if it can update an `earlier` summary instead of reading everything again. @default false */
  readonly incremental?: boolean
  /**
   * Returns upper bounds of the first call for a request. Absent if no model is called, so that limits of cost and time
   * do not apply.
   */
  estimate?(request: SummaryRequest): CallEstimate
  /**
   * Called before a log is read. Rejects with TenfoldError, such as `missing-api-key`, if it cannot work at all. Then
   * the next one of a chain is used, and without one nothing is done. @default it can work
   */
  assertReady?(): Promise<void>
  /**
   * Returns the summary and all calls. Rejects with `SummarizerError`, which carries the billed calls, rather than
   * return junk.
   */
  summarize(request: SummaryRequest, control: SummaryControl): Promise<SummaryResult>
}
