import type { EventId, SessionEvent } from '../session/event.ts'

/** One event, call or run of calls as a summarizer reads it, shortened by the plan, with marks at gaps. */
export interface TranscriptItem {
  readonly event: EventId
  readonly until?: EventId
  /** The other events that the item shows: the results of its calls, and the further calls of a run. */
  readonly results?: readonly EventId[]
  readonly agent: string
  readonly turn: number
  readonly type: SessionEvent['type']
  /** `user`, `assistant`, … or the name of the tool. Only items labelled `user` are the user's words. */
  readonly label: string
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown' | 'missing'
  /** A message of the user that came while the agent worked: its answer may come before it. */
  readonly queued?: true
  /** The assistant text that ended a turn. */
  readonly final?: boolean
  readonly text: string
}
