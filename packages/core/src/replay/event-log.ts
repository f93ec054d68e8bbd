import type { Note } from '../session/note.ts'
import type { TaskEvent } from './task-event.ts'

/** Events of a log from some point on. */
export interface EventsAfter {
  readonly events: readonly TaskEvent[]
  /** Where they are not just what was asked for: `unknown-event` (so all are given), `dropped-events`. */
  readonly note?: Note
}

/** Options of `createEventLog`. */
export interface EventLogOptions {
  /** Most events that are held; the oldest go first. Ids are remembered all the same. @default no limit */
  readonly limit?: number
}

/** The events of a task, each id once, in the order in which they were added: what clients connect to and come back to. */
export interface EventLog {
  /** Events that are held. */
  readonly size: number
  readonly ended: boolean
  /** Adds an event; false where its id was added before. Throws a `TypeError` where it has no id, and after `end`. */
  add(event: TaskEvent): boolean
  has(id: string): boolean
  /** What was added after an event; all where none is named or the id is not known. */
  since(lastEventId?: string): EventsAfter
  /** No more events come: who follows is done with the last one. */
  end(): void
  /** What was added after an event, then what is added from now on, until the end of the log or an abort; never an error. */
  follow(options?: {
    readonly after?: string
    readonly signal?: AbortSignal
  }): AsyncGenerator<EventsAfter, void, undefined>
}

/** Events in one step of `follow`. */
const maxAtOnce = 256

/** An empty log of events, in memory. */
export function createEventLog({ limit = Number.POSITIVE_INFINITY }: EventLogOptions = {}): EventLog {
  if (!(limit === Number.POSITIVE_INFINITY || (Number.isSafeInteger(limit) && limit > 0)))
    throw new TypeError(`expected limit to be a whole number of at least 1, got ${limit}`)
  const positions = new Map<string, number>()
  const waiting = new Set<() => void>()
  let held: TaskEvent[] = []
  /** Position of the first that is in `held`. */
  let base = 0
  let ended = false

  const first = (): number => Math.max(base, positions.size - limit)
  const between = (from: number, to: number): TaskEvent[] => held.slice(from - base, to - base)

  function wake(): void {
    const callbacks = [...waiting]
    waiting.clear()
    for (const callback of callbacks) callback()
  }

  /** Where to go on after an event, and what is to be said about it. */
  function startAfter(id: string | undefined): { from: number; note?: Note } {
    const position = id === undefined ? -1 : positions.get(id)
    if (position !== undefined) return startAt(position + 1)
    const message = 'the last event that the client names is not known here: all that are held are sent again'
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
  }: {
    readonly after?: string
    readonly signal?: AbortSignal
  } = {}): AsyncGenerator<EventsAfter, void, undefined> {
    let start = startAfter(after)
    while (signal?.aborted !== true) {
      const { from, note } = start.note === undefined ? startAt(start.from) : start
      const to = Math.min(positions.size, from + maxAtOnce)
      start = { from: to }
      if (to > from || note !== undefined) yield { events: between(from, to), ...(note && { note }) }
      else if (ended) return
      else await grown(signal)
    }
  }

  async function grown(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((done) => {
      const over = (): void => {
        waiting.delete(over)
        signal?.removeEventListener('abort', over)
        done()
      }
      waiting.add(over)
      signal?.addEventListener('abort', over, { once: true })
    })
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
      wake()
      return true
    },
    has: (id) => positions.has(id),
    since(lastEventId) {
      const { from, note } = startAfter(lastEventId)
      return { events: between(from, positions.size), ...(note && { note }) }
    },
    end() {
      ended = true
      wake()
    },
    follow,
  }
}
