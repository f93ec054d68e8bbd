import type { SessionEvent } from '../session/event.ts'

/**
 * Merges the events of all agents into one timeline. Each agent's own events stay in the order of the log, even if its
 * clock steps back. An event without a time follows the one before it; if its agent has no times at all, the one before
 * it in the log.
 */
export function inTimeOrder(events: readonly SessionEvent[]): readonly SessionEvent[] {
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
  // The sort is stable. A difference would not do: that of two infinities is not a number.
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)).map(({ event }) => event)
}
