import { createHash } from 'node:crypto'
import type { TaskEvent } from './task-event.ts'

/** A task event without an id. */
export type UnnamedEvent = TaskEvent extends infer E ? (E extends TaskEvent ? Omit<E, 'id'> : never) : never

/**
 * Gives events their ids, in the order of their log. An id is a digest of what distinguishes the event: the session,
 * the agent, the type, and the call or otherwise the time; the text if the session has no id, or the event has neither.
 * The second event with the same digest ends in `-2`. So the same log gives the same ids, and appending to it changes
 * none.
 */
export function createEventIds(session: string | undefined): (event: UnnamedEvent) => string {
  const counts = new Map<string, number>()
  return (event) => {
    const call = 'callId' in event ? event.callId : undefined
    // Not both: a reader may learn the time of a result only from the next record.
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
