import type { EventId, SessionEvent } from '../session/event.ts'

/** An event, a call or a run of calls as a summarizer reads it, shortened by the plan, with marks at gaps. */
export interface TranscriptItem {
  /** The first event of the item, which statements cite. */
  readonly event: EventId
  /** The last event, if the item shows several. */
  readonly until?: EventId
  /** The other events of the item: results of its calls, and the further calls of a run. */
  readonly results?: readonly EventId[]
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** Number of user messages before it. */
  readonly turn: number
  /** Type of the event. */
  readonly type: SessionEvent['type']
  /** `user`, `assistant`, … or the name of the tool. Only items labelled `user` are the user's words. */
  readonly label: string
  /** How a call ended; `missing` if the log has no result. */
  readonly status?: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown' | 'missing'
  /** A user message sent while the agent worked: its answer may come before it. */
  readonly queued?: true
  /** The assistant text that ended a turn. */
  readonly final?: boolean
  /** Shortened. */
  readonly text: string
}
