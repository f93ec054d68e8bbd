import type { EventDraft } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** The state of reading one log with those of its subagents. */
export interface QwenState {
  readonly out: SessionWriter
  /** The agent of the current file. */
  agent: string
  /** Whether an agent, not a human, gave the task. */
  byAgent: boolean
  file: number
  time: string | undefined
  readonly newCallId: ReturnType<typeof createCallIds>
  /** Call ids of the session by the id in the log, the latest one for each. */
  readonly calls: Map<string, string>
}

/** The state before the first record. */
export function createQwenState(out: SessionWriter): QwenState {
  return {
    out,
    agent: 'main',
    byAgent: false,
    file: 0,
    time: undefined,
    newCallId: createCallIds(),
    calls: new Map(),
  }
}

/** Writes an event of the current agent at the time of the record. */
export function write({ agent, out, time }: QwenState, draft: EventDraft): void {
  out.event({ agent, ...draft, ...(time !== undefined && { time }) })
}
