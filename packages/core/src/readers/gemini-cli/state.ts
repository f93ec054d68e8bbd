import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import { writeInTurn } from '../shared/kept-turns.ts'

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
export type GeminiState = ReturnType<typeof createGeminiState>

/** The state before the first record. */
export function createGeminiState(out: SessionWriter) {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 } as SourcePosition,
    time: undefined as string | undefined,
    agent: 'main',
    /** Whether another agent, not a human, writes the user messages. */
    byAgent: false,
    messages: new Map<string, GeminiMessage>(),
    /** Ids of the messages that are part of the conversation, in order. */
    live: [] as string[],
    /** By the id in the log. */
    calls: new Map<string, GeminiCall>(),
    /** Calls that reported the id of the subagent they started. */
    agents: new Map<string, string>(),
    begun: new Set<string>(),
    /** Turns that are part of the conversation. */
    turns: [] as number[],
    /** Whether turns were taken back, and no new one began. */
    rewound: false,
  }
}

/** Writes an event of the current agent, at the time of the message. */
export function write(state: GeminiState, draft: EventDraft, time = state.time): SessionEvent {
  return writeInTurn(state, { agent: state.agent, ...draft, ...(time !== undefined && { time }) })
}
