import { createHash } from 'node:crypto'
import { TenfoldError } from '../errors.ts'
import { type ConversationTurn, turnEvents } from '../readers/cursor/turn-events.ts'
import type { EventDraft, EventId, SessionEvent } from '../session/event.ts'
import { toolInputText } from '../session/event-text.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import type { ReplayedEvent, TaskEvent } from './task-event.ts'

/** Options of {@link replaySession}. */
export interface ReplayOptions {
  /**
   * Id of a replayed event: returns only the events after it. In a growing log, the clock of another agent may place
   * new events before it; an {@link EventLog} to which all events are added again accepts each only once.
   */
  readonly after?: string | undefined
  /** Name of the session for the events and their ids. @default the session's own id; none for turns */
  readonly session?: string | undefined
  /** Receives everything in the turns that is not a task event. A session has its own notes. */
  readonly onNote?: ((note: Note) => void) | undefined
}

/**
 * Returns an earlier run as task events with `replayed: true`: messages of users and agents, and for each call a
 * `tool_progress` and a `tool_summary`, with agents merged by time. Leaves out text of programs, reasoning,
 * compactions, rewinds, starts and ends of subagents (their events have `agent`) and unknown records. Only reads.
 * Throws TenfoldError `unknown-event` if no event has the id `after`.
 */
export function replaySession(
  source: Session | readonly ConversationTurn[],
  options: ReplayOptions = {},
): readonly ReplayedEvent[] {
  const timeline = isTurns(source) ? replayTurns(source, options) : replayEvents(source, options)
  const { after } = options
  if (after === undefined) return timeline
  const index = timeline.findIndex(({ id }) => id === after)
  if (index === -1)
    throw new TenfoldError(
      'unknown-event',
      `No replayed event has the id ${JSON.stringify(after.slice(0, 80))}; leave it out to replay all ${timeline.length}.`,
    )
  return timeline.slice(index + 1)
}

function isTurns(source: Session | readonly ConversationTurn[]): source is readonly ConversationTurn[] {
  return Array.isArray(source)
}

function replayEvents(session: Session, options: ReplayOptions): ReplayedEvent[] {
  // An id that the reader derived from the log's bytes changes as the log grows.
  const made = session.source.sha256.startsWith(session.id)
  const label = options.session ?? session.id
  const replayed = replayer(label, options.session ?? (made ? undefined : session.id))
  const named = new Map<SessionEvent, ReplayedEvent>()
  for (const event of session.events) {
    const task = replayed(event, event.agent, event.id)
    if (task !== undefined) named.set(event, task)
  }
  return inTimeOrder(session.events).flatMap((event) => named.get(event) ?? [])
}

function replayTurns(turns: readonly unknown[], { session, onNote }: ReplayOptions): ReplayedEvent[] {
  const replayed = replayer(session, session)
  return turns.flatMap((turn, index) => {
    const note = (code: string, message: string): void => onNote?.({ code, message })
    return turnEvents(turn, index + 1, note).flatMap((event) => replayed(event, event.agent ?? 'main') ?? [])
  })
}

function replayer(
  session: string | undefined,
  identity: string | undefined,
): (event: EventDraft | SessionEvent, agent: string, number?: EventId) => ReplayedEvent | undefined {
  const idOf = createEventIds(identity)
  const names = new Map<string, string>()
  return (event, agent, number) => {
    if (event.type === 'tool_call') names.set(event.callId, event.name)
    const { time, copied, inContext } = event
    const shared = known({ time, agent, session, event: number, copied, inContext })
    const task = taskEventOf(event, names)
    if (task === undefined) return undefined
    const unnamed = { ...task, ...shared } as UnnamedEvent
    return { id: idOf(unnamed), ...unnamed, replayed: true } as ReplayedEvent
  }
}

function taskEventOf(event: EventDraft | SessionEvent, names: ReadonlyMap<string, string>) {
  switch (event.type) {
    case 'user':
      return known({ type: event.type, text: event.text, images: event.images })
    case 'assistant':
      return known({ type: event.type, text: event.text, model: event.model })
    case 'tool_call': {
      const { callId, name, kind, input } = event
      return { type: 'tool_progress', text: toolInputText(input), callId, name, kind }
    }
    case 'tool_result': {
      const { text, callId, status, exitCode, changes, images } = event
      const name = names.get(callId)
      return known({ type: 'tool_summary', text, callId, name, status, exitCode, changes, images })
    }
    case 'context':
    case 'reasoning':
    case 'subagent_start':
    case 'subagent_end':
    case 'compaction':
    case 'rewind':
    case 'other':
      return undefined
  }
}

/**
 * Merges the events of all agents by time. Each agent's events stay in the order of the log, even if its clock steps
 * back. An event without a time follows the one before it; if its agent has no times at all, the one before it in the
 * log.
 */
function inTimeOrder(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const clocks = new Map<string, number>()
  for (const { agent, time } of events)
    if (time !== undefined && !clocks.has(agent)) clocks.set(agent, Date.parse(time))
  let now = Number.NEGATIVE_INFINITY
  const timed = events.map((event) => {
    const clock = clocks.get(event.agent)
    if (clock !== undefined) {
      now = event.time === undefined ? clock : Math.max(clock, Date.parse(event.time))
      clocks.set(event.agent, now)
    }
    return { event, time: now }
  })
  // The sort is stable. No subtraction, because Infinity - Infinity is NaN.
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ event }) => event)
}

type UnnamedEvent = TaskEvent extends infer E ? (E extends TaskEvent ? Omit<E, 'id'> : never) : never

/**
 * Gives events their ids, in log order. An id is a digest of the session, the agent, the type, and the call or
 * otherwise the time; also of the text if the session has no id, or the event has neither call nor time. The second
 * event with the same digest ends in `-2`. So the same log gives the same ids, and appending to it changes none.
 */
function createEventIds(session: string | undefined): (event: UnnamedEvent) => string {
  const counts = new Map<string, number>()
  return (event) => {
    const call = 'callId' in event ? event.callId : undefined
    // Not both, because a reader may learn the time of a result only from the next record.
    const mark = call ?? event.time
    const content = session === undefined || mark === undefined ? [event.text] : []
    const name = 'name' in event && content.length > 0 ? event.name : undefined
    const key = [session, event.agent, event.type, mark, call === undefined, name, ...content]
    const digest = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 16)
    const count = (counts.get(digest) ?? 0) + 1
    counts.set(digest, count)
    return count === 1 ? `r${digest}` : `r${digest}-${count}`
  }
}
