import type { SessionEvent } from '../../session/event.ts'
import { eventText } from '../../session/event-text.ts'

/** Returns what the edits of each turn wrote, in lower case; without the last turn if it was not answered. */
export function writtenByTurn(events: readonly SessionEvent[], finished: boolean): Map<number, string> {
  const written = new Map<number, string>()
  for (const event of events) {
    const text = written.get(event.turn) ?? ''
    if (event.type !== 'tool_call' || event.kind !== 'edit' || text.length > maxWritten) continue
    written.set(event.turn, `${text}\n${eventText(event).toLowerCase()}`)
  }
  const last = events.at(-1)
  if (!finished && last !== undefined) written.delete(last.turn)
  return written
}

const maxWritten = 400_000

/** Whether a turn wrote every name in a demand. False for a demand that applies beyond the turn, or to how a team works. */
export function namesWritten(demand: string, written: string): boolean {
  if (written === '' || lasts.test(demand)) return false
  const named = demand.match(names)?.map((name) => name.replace(/^["“`]|["”`]$/g, '').toLowerCase()) ?? []
  return named.length > 0 && named.every((name) => written.includes(name))
}

/** Words in quotes, names of code and of files. */
const names = /["“`][^"”`\n]{2,60}["”`]|\b\w+\.\w{1,5}\b|\b\p{Ll}+\p{Lu}\w*|\b\w+_\w+/gu

/** Marks of a demand that applies beyond one turn. */
const lasts = /\b(?:all|only|must|let['’]?s|we|commit|push|branch|tests?)\b/i
