import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

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
export interface PiState {
  readonly out: SessionWriter
  readonly newCallId: ReturnType<typeof createCallIds>
  at: SourcePosition
  time: string | undefined
  agent: string
  /** The task of the current agent, if that is a subagent. */
  task: string | undefined
  model: string | undefined
  copied: boolean
  /** By the id in the log; the latest call if one is used again. */
  readonly calls: Map<string, PiCall>
  readonly entries: Map<string, PiEntry>
  /** From the root to the entry read last. */
  path: PiEntry[]
  entry: PiEntry | undefined
  /** Turns that are part of the conversation. */
  readonly turns: number[]
  /** Whether turns were taken back, and no new one began. */
  rewound: boolean
}

/** The state before the first record. */
export function createPiState(out: SessionWriter): PiState {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 },
    time: undefined,
    agent: 'main',
    task: undefined,
    model: undefined,
    copied: false,
    calls: new Map(),
    entries: new Map(),
    path: [],
    entry: undefined,
    turns: [],
    rewound: false,
  }
}

/** Writes an event of the current entry. */
export function write(state: PiState, draft: EventDraft): SessionEvent {
  const { agent, at, copied, entry, out, rewound, time, turns } = state
  const begins = agent === 'main' && draft.type === 'user'
  if (begins) state.rewound = false
  // Events after a rewind belong to the turn that was kept.
  const turn = rewound && !begins && agent === 'main' ? { turn: turns.at(-1) ?? 0 } : {}
  const event = out.event(
    { agent, ...draft, ...(time !== undefined && { time }), ...(copied && { copied: true }) },
    { ...at, ...turn },
  )
  if (entry !== undefined) entry.spoke = true
  if (begins) {
    turns.push(event.turn)
    if (entry !== undefined) entry.turns++
  }
  return event
}
