import { EventEmitter, once } from 'node:events'
import type { AbortableOptions } from '../session/abortable-options.ts'
import type { Note } from '../session/note.ts'
import type { TaskEvent } from './task-event.ts'

/** Events of a log from some point on. */
export interface EventsAfter {
  /** Events after the given id, in order. */
  readonly events: readonly TaskEvent[]
  /** Set if the events differ from those requested: `unknown-event` (all are returned) or `dropped-events`. */
  readonly note?: Note
}

/** Options of {@link createEventLog}. */
export interface EventLogOptions {
  /** Maximum number of events to hold. The oldest are dropped, but their ids are remembered. @default no limit */
  readonly limit?: number | undefined
}

/** The events of a task, each id once, in the order of addition. Clients follow it and can resume after an event. */
export interface EventLog {
  /** Number of events held. */
  readonly size: number
  /** True once the last event was added. */
  readonly ended: boolean
  /** Adds an event; returns false if its id was added before. Throws `TypeError` if it has no id, or after `end`. */
  add(event: TaskEvent): boolean
  /** Whether an event with this id is held. */
  has(id: string): boolean
  /** Returns the events added after an event; all of them without an id or for an unknown one. */
  since(lastEventId?: string): EventsAfter
  /** Ends the log: followers stop after the last event. */
  end(): void
  /** Yields the events added after an event, then new ones, until the log ends or the signal aborts; never throws. */
  follow(options?: FollowOptions): AsyncGenerator<EventsAfter, void, undefined>
}

interface FollowOptions extends AbortableOptions {
  readonly after?: string | undefined
}

const maxAtOnce = 256

/** Creates an empty event log in memory. */
export function createEventLog({ limit = Number.POSITIVE_INFINITY }: EventLogOptions = {}): EventLog {
  if (!(limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit > 0)))
    throw new TypeError(`expected limit to be a whole number of at least 1, got ${limit}`)
  const positions = new Map<string, number>()
  const followers = new EventEmitter().setMaxListeners(0)
  let held: TaskEvent[] = []
  /** Position of the first event in `held`. */
  let base = 0
  let ended = false

  const first = (): number => Math.max(base, positions.size - limit)
  const between = (from: number, to: number): TaskEvent[] => held.slice(from - base, to - base)

  /** Returns the position after an event, with a note if the events will differ from those requested. */
  function startAfter(id: string | undefined): { from: number; note?: Note } {
    const position = id === undefined ? -1 : positions.get(id)
    if (position !== undefined) return startAt(position + 1)
    const message = 'the last event that the client names is not known here: all events held are sent again'
    return { from: first(), note: { code: 'unknown-event', message } }
  }

  function startAt(position: number): { from: number; note?: Note } {
    const count = first() - position
    if (count <= 0) return { from: position }
    const message = `${count} older ${count === 1 ? 'event is' : 'events are'} no longer held`
    return { from: first(), note: { code: 'dropped-events', message, count } }
  }

  async function* follow({
    after,
    signal,
  }: FollowOptions = {}): AsyncGenerator<EventsAfter, void, undefined> {
    let start = startAfter(after)
    while (signal?.aborted !== true) {
      const { from, note } = start.note === undefined ? startAt(start.from) : start
      const to = Math.min(positions.size, from + maxAtOnce)
      start = { from: to }
      if (to > from || note !== undefined) yield { events: between(from, to), ...(note && { note }) }
      else if (ended) return
      else await once(followers, 'change', signal && { signal }).catch(() => undefined)
    }
  }

  return {
    get size() {
      return positions.size - first()
    },
    get ended() {
      return ended
    },
    add(event) {
      if (typeof event.id !== 'string' || event.id === '') throw new TypeError('expected an event with an id')
      if (ended) throw new TypeError('expected no event after the end of the log')
      if (positions.has(event.id)) return false
      positions.set(event.id, positions.size)
      held.push(event)
      if (held.length >= 2 * limit) {
        base = first()
        held = held.slice(-limit)
      }
      followers.emit('change')
      return true
    },
    has: (id) => positions.has(id),
    since(lastEventId) {
      const { from, note } = startAfter(lastEventId)
      return { events: between(from, positions.size), ...(note && { note }) }
    },
    end() {
      ended = true
      followers.emit('change')
    },
    follow,
  }
}
