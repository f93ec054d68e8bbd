import type { BundleKind } from '../bundle/schema.ts'
import type { Judgement } from '../bundle/judgement.ts'
import type { Facts } from '../facts/facts.ts'
import type { EventId, SessionEvent } from '../session/event.ts'
import type { TokenUsage } from '../session/usage.ts'

/** One event, call or run of calls as a summarizer reads it, shortened by the plan, elisions marked. */
export interface ReadingItem {
  readonly event: EventId
  readonly until?: EventId
  readonly agent: string
  readonly turn: number
  readonly type: SessionEvent['type']
  /** `user`, `assistant`, … or the name of the tool. Only items labelled `user` are words of the user. */
  readonly label: string
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'missing'
  /** The assistant text that ended a turn. */
  readonly final?: boolean
  readonly text: string
}

/** What a summarizer is given: the condensed session, never the raw log. */
export interface SummaryRequest {
  readonly kind: BundleKind
  readonly items: readonly ReadingItem[]
  readonly facts: Facts
  /** About how many tokens the judgement may take. */
  readonly maxTokens: number
}

/** One call of a model, also one that failed: what was billed is never lost. */
export interface SummarizerCall {
  readonly summarizer: string
  readonly model?: string
  readonly requestId?: string
  readonly stop?: string
  readonly durationMs?: number
  readonly error?: string
  readonly usage: TokenUsage
}

export interface SummaryResult {
  readonly judgement: Judgement
  readonly calls: readonly SummarizerCall[]
  readonly promptVersion?: string
}

/**
 * Judges a session. Laws: the same request gives a judgement of the same shape; evidence names events of the request;
 * rejects with SummarizerError rather than return junk, and carries the calls made until then in it; stops promptly when
 * the signal aborts.
 */
export interface Summarizer {
  readonly name: string
  readonly model?: string
  /** Tokens that one request may hold; absent where there is no limit. */
  readonly contextWindow?: number
  summarize(request: SummaryRequest, options: { readonly signal: AbortSignal }): Promise<SummaryResult>
}
