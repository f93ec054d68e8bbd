import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** A tool call already written. */
interface GeminiCall {
  readonly callId: string
  readonly name: string
  done: boolean
}

/** What was written of a message, which stands in the log anew whenever it changed. */
export interface GeminiMessage {
  readonly id: string
  text: string
  thoughts: number
  /** Words of a person in it. */
  users: number
}

/** What is remembered while one recording is read. */
export interface GeminiState {
  readonly out: SessionWriter
  readonly newCallId: ReturnType<typeof createCallIds>
  at: SourcePosition
  time: string | undefined
  agent: string
  /** Another agent, not a person, writes the user messages. */
  byAgent: boolean
  readonly messages: Map<string, GeminiMessage>
  /** Ids of the messages that are part of the conversation, in order. */
  live: string[]
  /** By the id in the log. */
  readonly calls: Map<string, GeminiCall>
  /** Calls that told the id of the subagent they started. */
  readonly agents: Map<string, string>
  readonly begun: Set<string>
  /** Turns that are part of the conversation. */
  readonly turns: number[]
  /** Turns were taken back, and no new one began. */
  rewound: boolean
}

/** The state before the first record. */
export function createGeminiState(out: SessionWriter): GeminiState {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 },
    time: undefined,
    agent: 'main',
    byAgent: false,
    messages: new Map(),
    live: [],
    calls: new Map(),
    agents: new Map(),
    begun: new Set(),
    turns: [],
    rewound: false,
  }
}

/** Writes an event of the agent at hand, at the time of the message. */
export function write(state: GeminiState, draft: EventDraft, time = state.time): SessionEvent {
  const { agent, at, out, rewound, turns } = state
  const begins = agent === 'main' && draft.type === 'user'
  if (begins) state.rewound = false
  // What follows a rewind belongs to the turn that was kept.
  const turn = rewound && !begins && agent === 'main' ? { turn: turns.at(-1) ?? 0 } : {}
  const event = out.event({ agent, ...draft, ...(time !== undefined && { time }) }, { ...at, ...turn })
  if (begins) turns.push(event.turn)
  return event
}
