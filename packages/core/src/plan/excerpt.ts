import type { EventId, SessionEvent } from '../session/event.ts'
import type { TextKind } from './text-kinds.ts'

export interface ExcerptPart {
  readonly kind: TextKind
  readonly text: string
  readonly tokens: number
  /** Line breaks in the text. */
  readonly lines: number
  /** Text that follows even if the part is cut: the outcome of a call. */
  readonly suffix?: string
  /** Contains an exact name or number that occurs nowhere else in the session. */
  readonly unique?: true
  /** Number of calls that the line of a run stands for. */
  readonly calls?: number
  /** The distinct targets of a run's calls. */
  readonly targets?: readonly string[]
}

/** One event, a tool call with its result, or a run of similar calls: a candidate for a trail entry. */
export interface Excerpt {
  readonly event: EventId
  readonly until?: EventId
  readonly agent: string
  readonly turn: number
  readonly label: string
  readonly type: SessionEvent['type']
  /** Outcome of a tool call. */
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown' | 'missing'
  /** A successful call that only looks around; a run of such calls becomes one line. */
  readonly looks?: true
  /** Position among all events, 0 to 1. */
  readonly position: number
  readonly parts: readonly ExcerptPart[]
}

/** Text in place of one that an earlier event has already. */
export function repeat(first: string): string {
  return `same as ${first}`
}

/** Returns the event that a text of `repeat` refers to; undefined for any other text. */
export function repeatOf(text: string): string | undefined {
  return /^same as (e\d+)$/.exec(text)?.[1]
}
