import type { EventDraft } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** The state of reading a trajectory of mini-SWE-agent. */
export interface MiniState {
  readonly out: SessionWriter
  /** Calls of the last response that have no result yet. */
  readonly open: { readonly callId: string; readonly command: string }[]
  readonly nameCall: (reported: unknown, place: string) => string
  /** Results that were written. The submission repeats the last one. */
  readonly written: Set<string>
  responses: number
  users: number
  exited: boolean
  model: string | undefined
  time: string | undefined
}

/** The state at the beginning. */
export function createMiniState(out: SessionWriter): MiniState {
  return {
    out,
    open: [],
    nameCall: createCallIds(),
    written: new Set(),
    responses: 0,
    users: 0,
    exited: false,
    model: undefined,
    time: undefined,
  }
}

/** Writes an event at the time of the current message. */
export function write(state: MiniState, draft: EventDraft): void {
  const { out, time } = state
  out.event({ ...(time !== undefined && { time }), ...draft })
}
