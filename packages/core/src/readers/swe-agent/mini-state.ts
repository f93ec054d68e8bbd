import type { EventDraft } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** The state of reading a trajectory of mini-SWE-agent. */
export type MiniState = ReturnType<typeof createMiniState>

/** The state at the beginning. */
export function createMiniState(out: SessionWriter) {
  return {
    out,
    /** Calls of the last response that have no result yet. */
    open: [] as { readonly callId: string; readonly command: string }[],
    nameCall: createCallIds(),
    /** Results that were written. The submission repeats the last one. */
    written: new Set<string>(),
    responses: 0,
    users: 0,
    exited: false,
    model: undefined as string | undefined,
    time: undefined as string | undefined,
  }
}

/** Writes an event at the time of the current message. */
export function write(state: MiniState, draft: EventDraft): void {
  const { out, time } = state
  out.event({ ...(time !== undefined && { time }), ...draft })
}
