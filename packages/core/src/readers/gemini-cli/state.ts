import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** A tool call already written. */
interface GeminiCall {
  readonly callId: string
  readonly name: string
  done: boolean
}

/** The written parts of a message. The log repeats a message whenever it changes. */
export interface GeminiMessage {
  readonly id: string
  text: string
  thoughts: number
  /** Number of the user's texts in it. */
  users: number
}

/** The state of reading one recording. */
export interface GeminiState {
  readonly out: SessionWriter
  readonly newCallId: ReturnType<typeof createCallIds>
  at: SourcePosition
  time: string | undefined
  agent: string
  /** Whether another agent, not a human, writes the user messages. */
  byAgent: boolean
  readonly messages: Map<string, GeminiMessage>
  /** Ids of the messages that are part of the conversation, in order. */
  live: string[]
  /** By the id in the log. */
  readonly calls: Map<string, GeminiCall>
  /** Calls that reported the id of the subagent they started. */
  readonly agents: Map<string, string>
  readonly begun: Set<string>
  /** Turns that are part of the conversation. */
  readonly turns: number[]
  /** Whether turns were taken back, and no new one began. */
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

/** Writes an event of the current agent, at the time of the message. */
export function write(state: GeminiState, draft: EventDraft, time = state.time): SessionEvent {
  const { agent, at, out, rewound, turns } = state
  const begins = agent === 'main' && draft.type === 'user'
  if (begins) state.rewound = false
  // Events after a rewind belong to the turn that was kept.
  const turn = rewound && !begins && agent === 'main' ? { turn: turns.at(-1) ?? 0 } : {}
  const event = out.event({ agent, ...draft, ...(time !== undefined && { time }) }, { ...at, ...turn })
  if (begins) turns.push(event.turn)
  return event
}
