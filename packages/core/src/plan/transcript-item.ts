import type { EventId, SessionEvent } from '../session/event.ts'

/** One event, call or run of calls as a summarizer reads it, shortened by the plan, with marks at gaps. */
export interface TranscriptItem {
  /** The event that it shows, which statements cite. */
  readonly event: EventId
  /** Last event, if it shows several. */
  readonly until?: EventId
  /** The other events that the item shows: the results of its calls, and the further calls of a run. */
  readonly results?: readonly EventId[]
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** Number of user messages before it. */
  readonly turn: number
  /** Type of the event. */
  readonly type: SessionEvent['type']
  /** `user`, `assistant`, … or the name of the tool. Only items labelled `user` are the user's words. */
  readonly label: string
  /** How a call ended; `missing` if the log has no result of it. */
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown' | 'missing'
  /** A message of the user that came while the agent worked: its answer may come before it. */
  readonly queued?: true
  /** The assistant text that ended a turn. */
  readonly final?: boolean
  /** Its text, shortened. */
  readonly text: string
}
