import type { Judgement } from '../bundle/judgement.ts'
import type { BundleKind } from '../bundle/schema.ts'
import type { Facts } from '../facts/facts.ts'
import type { ReadingItem } from '../plan/reading-item.ts'
import type { TokenUsage } from '../session/usage.ts'

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
