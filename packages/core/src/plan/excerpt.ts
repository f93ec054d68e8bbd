import type { EventId, SessionEvent } from '../session/event.ts'

/**
 * What a part of an excerpt is. It decides how much room the part gets beside others: see `weights` in fill.ts.
 * `line` parts say what a tool call did (`past_line` in a brief, where words count more); `*_body` parts are what it was given or answered.
 */
export type PartKind =
  | 'user'
  | 'last_user'
  | 'pasted'
  | 'answer'
  | 'last_answer'
  | 'plan'
  | 'proposal'
  | 'question'
  | 'chatter'
  | 'agent_task'
  | 'agent_report'
  | 'line'
  | 'past_line'
  | 'error_body'
  | 'check_body'
  | 'edit_body'
  | 'output_body'
  | 'search_body'
  | 'compaction'
  | 'reasoning'
  | 'context'

export interface ExcerptPart {
  readonly class: PartKind
  readonly text: string
  readonly tokens: number
  /** Line breaks in the text. */
  readonly lines: number
  /** What always stands behind the text, however short that is cut: the outcome of a call. */
  readonly suffix?: string
  /** Holds an exact name or number that stands nowhere else in the session. */
  readonly unique?: true
  /** Calls that the line of a run stands for. */
  readonly calls?: number
  /** What the calls of a run were about, each once. */
  readonly targets?: readonly string[]
}

/** One event, a tool call with its result, or a run of like calls: what can become an entry of the trail. */
export interface Excerpt {
  readonly event: EventId
  readonly until?: EventId
  readonly agent: string
  readonly turn: number
  readonly label: string
  readonly type: SessionEvent['type']
  /** Outcome of a tool call. */
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown' | 'missing'
  /** A call that only looks around and succeeded: a run of such calls folds into one line. */
  readonly looks?: true
  /** Position among all events, 0 to 1. */
  readonly position: number
  readonly parts: readonly ExcerptPart[]
}
