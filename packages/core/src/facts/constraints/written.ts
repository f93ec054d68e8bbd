import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { eventText } from '../../session/event-text.ts'

/** Returns what the edits of the turn wrote that a message began; empty for a turn that was not answered. */
export function writtenInTurns(
  events: readonly SessionEvent[],
  finished: boolean,
): (message: EventId) => string {
  const written = new Map<EventId, string>()
  return (message) => {
    const known = written.get(message)
    if (known !== undefined) return known
    const from = eventIndex(message) + 1
    const next = events.findIndex(
      (event, at) => at >= from && event.type === 'user' && event.agent === 'main' && event.copied !== true,
    )
    const turn = next < 0 && !finished ? [] : events.slice(from, next < 0 ? undefined : next)
    const text = turn
      .flatMap((event) => (event.type === 'tool_call' && event.kind === 'edit' ? eventText(event) : []))
      .join('\n')
      .slice(0, maxWritten)
    written.set(message, text)
    return text
  }
}

const maxWritten = 400_000

/** Whether every name in a demand stands in what its turn wrote. What holds beyond the turn, or is how a team works, goes on. */
export function namesWritten(demand: string, written: string): boolean {
  if (written === '' || lasts.test(demand)) return false
  const named = demand.match(names)?.map((name) => name.replace(/^["“`]|["”`]$/g, '').toLowerCase()) ?? []
  const lower = written.toLowerCase()
  return named.length > 0 && named.every((name) => lower.includes(name))
}

/** Words in quotes, names of the code and of files. */
const names = /["“`][^"”`\n]{2,60}["”`]|\b\w+\.\w{1,5}\b|\b\p{Ll}+\p{Lu}\w*|\b\w+_\w+/gu

/** What holds beyond one turn. */
const lasts = /\b(?:all|only|must|let['’]?s|we|commit|push|branch|tests?)\b/i
