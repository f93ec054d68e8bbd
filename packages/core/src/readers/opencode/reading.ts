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
export interface Reading {
  readonly out: SessionWriter
  readonly callId: ReturnType<typeof createCallIds>
  /** Calls that started a child session, by its id. */
  readonly tasks: Map<string, TaskCall>
  /** Writes a child session if it is available. */
  writeChild: (id: string) => void
  /** Available child sessions, by the id of their parent. */
  readonly children: Map<string, OpenCodeSession[]>
  /** Current nesting level of subagents. */
  depth: number
  readonly written: Set<string>
  at: SourcePosition
  agent: string
  /** Whether a revert took back everything from here on. */
  undone: boolean
  undoneTurns: number
  /** How the next summary was requested. */
  trigger: string | undefined
  calls: number
  /** End of the last answer, in ms: messages before that were queued. */
  busyUntil: number
}

/** The state before the first message. */
export function startReading(out: SessionWriter): Reading {
  return {
    out,
    callId: createCallIds(),
    tasks: new Map(),
    writeChild: () => {},
    children: new Map(),
    depth: 0,
    written: new Set(),
    at: { file: 0, line: 1 },
    agent: 'main',
    undone: false,
    undoneTurns: 0,
    trigger: undefined,
    calls: 0,
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
