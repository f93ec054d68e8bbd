import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** The state of reading one session. */
export interface GooseState {
  readonly out: SessionWriter
  readonly newCallId: ReturnType<typeof createCallIds>
  at: SourcePosition
  time: string | undefined
  model: string | undefined
  calls: number
  /** By the id in the log; the latest call if one is used again. */
  readonly open: Map<string, string>
  /** Messages before a compaction are hidden from the agent. */
  hidden: boolean
  /** Whether another agent, not a human, writes the user messages. */
  byAgent: boolean
}

/** The state before the first record. */
export function createGooseState(out: SessionWriter): GooseState {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 },
    time: undefined,
    model: undefined,
    calls: 0,
    open: new Map(),
    hidden: false,
    byAgent: false,
  }
}

/** Writes an event at the time of the message. */
export function write(state: GooseState, draft: EventDraft): SessionEvent {
  const { at, out, time } = state
  return out.event({ ...draft, ...(time !== undefined && { time }) }, at)
}
