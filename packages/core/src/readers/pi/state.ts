import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import { writeInTurn } from '../shared/kept-turns.ts'

/** A tool call already written. */
export interface PiCall {
  readonly callId: string
  readonly name: string
  readonly input: unknown
}

/** An entry of the tree. */
export interface PiEntry {
  readonly id: string
  /** Absent at the root, and if the parent was not read before. */
  readonly parent: PiEntry | undefined
  /** Number of turns that began with it. */
  turns: number
  /** Whether it gave an event. */
  spoke: boolean
}

/** The state of reading one session. */
export type PiState = ReturnType<typeof createPiState>

/** The state before the first record. */
export function createPiState(out: SessionWriter) {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 } as SourcePosition,
    time: undefined as string | undefined,
    agent: 'main',
    /** The task of the current agent, if that is a subagent. */
    task: undefined as string | undefined,
    model: undefined as string | undefined,
    copied: false,
    /** By the id in the log; the latest call if one is used again. */
    calls: new Map<string, PiCall>(),
    entries: new Map<string, PiEntry>(),
    /** From the root to the entry read last. */
    path: [] as PiEntry[],
    entry: undefined as PiEntry | undefined,
    /** Turns that are part of the conversation. */
    turns: [] as number[],
    /** Whether turns were taken back, and no new one began. */
    rewound: false,
  }
}

/** Writes an event of the current entry. */
export function write(state: PiState, draft: EventDraft): SessionEvent {
  const { agent, copied, entry, time } = state
  if (entry !== undefined) {
    entry.spoke = true
    if (agent === 'main' && draft.type === 'user') entry.turns++
  }
  return writeInTurn(state, {
    agent,
    ...draft,
    ...(time !== undefined && { time }),
    ...(copied && { copied: true }),
  })
}
