import type { EventDraft } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** The state of reading one log with those of its subagents. */
export type QwenState = ReturnType<typeof createQwenState>

/** The state before the first record. */
export function createQwenState(out: SessionWriter) {
  return {
    out,
    /** The agent of the current file. */
    agent: 'main',
    /** Whether an agent, not a human, gave the task. */
    byAgent: false,
    file: 0,
    time: undefined as string | undefined,
    newCallId: createCallIds(),
    /** Call ids of the session by the id in the log, the latest one for each. */
    calls: new Map<string, string>(),
    /** Turns of the user that are in the conversation, now and after each record of the session. */
    turns: 0,
    turnsAfter: new Map<string, number>(),
  }
}

/** Writes an event of the current agent at the time of the record. */
export function write(state: QwenState, draft: EventDraft): void {
  const { agent, out, time } = state
  if (draft.type === 'user' && agent === 'main') state.turns++
  out.event({ agent, ...draft, ...(time !== undefined && { time }) })
}
