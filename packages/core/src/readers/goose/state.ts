import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** The state of reading one session. */
export type GooseState = ReturnType<typeof createGooseState>

/** The state before the first record. */
export function createGooseState(out: SessionWriter) {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 } as SourcePosition,
    time: undefined as string | undefined,
    model: undefined as string | undefined,
    calls: 0,
    /** By the id in the log; the latest call if one is used again. */
    open: new Map<string, string>(),
    /** Messages before a compaction are hidden from the agent. */
    hidden: false,
    /** Whether another agent, not a human, writes the user messages. */
    byAgent: false,
  }
}

/** Writes an event at the time of the message. */
export function write(state: GooseState, draft: EventDraft): SessionEvent {
  const { at, out, time } = state
  return out.event({ ...draft, ...(time !== undefined && { time }) }, at)
}
