import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import type { SessionWriter } from '../reader/reader.ts'

/** A conversation of which turns may be taken back: `turns` are those that are part of it. */
interface KeptTurns {
  readonly out: SessionWriter
  readonly at: SourcePosition
  readonly agent: string
  readonly turns: number[]
  /** Whether turns were taken back, and no new one began. */
  rewound: boolean
}

/** Writes an event. After a rewind it belongs to the turn that was kept, until a new one begins. */
export function writeInTurn(state: KeptTurns, draft: EventDraft): SessionEvent {
  const { agent, at, out, turns } = state
  const begins = agent === 'main' && draft.type === 'user'
  if (begins) state.rewound = false
  const isKept = state.rewound && agent === 'main'
  const event = out.event(draft, isKept ? { ...at, turn: turns.at(-1) ?? 0 } : at)
  if (begins) turns.push(event.turn)
  return event
}
