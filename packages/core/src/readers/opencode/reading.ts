import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import type { OpenCodeSession } from './collection.ts'

/** A call of the `task` tool whose child session is known. */
interface TaskCall {
  readonly callId: string
  readonly agent: string
  readonly prompt: string
}

/** The state of reading one log of OpenCode. */
export type Reading = ReturnType<typeof startReading>

/** The state before the first message. */
export function startReading(out: SessionWriter) {
  return {
    out,
    callId: createCallIds(),
    /** Calls that started a child session, by its id. */
    tasks: new Map<string, TaskCall>(),
    /** Writes a child session if it is available. */
    writeChild: (_id: string): void => {},
    /** Available child sessions, by the id of their parent. */
    children: new Map<string, OpenCodeSession[]>(),
    /** Current nesting level of subagents. */
    depth: 0,
    written: new Set<string>(),
    at: { file: 0, line: 1 } as SourcePosition,
    agent: 'main',
    /** Whether a revert took back everything from here on. */
    undone: false,
    undoneTurns: 0,
    /** How the next summary was requested. */
    trigger: undefined as string | undefined,
    calls: 0,
    /** End of the last answer, in ms: messages before that were queued. */
    busyUntil: 0,
  }
}

/** Writes an event of the current session. */
export function write(reading: Reading, draft: EventDraft, time?: string): SessionEvent {
  const { out, agent, at, undone } = reading
  if (undone && agent === 'main' && draft.type === 'user') reading.undoneTurns++
  return out.event(
    { agent, ...draft, ...(time !== undefined && { time }), ...(undone && { inContext: false }) },
    at,
  )
}
