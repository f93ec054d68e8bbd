import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { toolInputText } from '../../session/event-text.ts'

/** Returns how much a line says about what follows an event: the names in it that the session comes back to. */
export type ScoreLater = (line: string, after: EventId) => number

/** A name that someone writes about matters more than one that is only in code or a command. */
const worth = { written: 3, given: 1.5 }

/**
 * Knows what a session names where: in the words of users and agents, and in what it gives to tools (edits, commands,
 * searches). A line of a file counts by the names in it that come later, the rarer the more.
 */
export function laterNames(events: readonly SessionEvent[]): ScoreLater {
  const written = new Map<string, Uses>()
  const given = new Map<string, Uses>()
  for (const event of events) {
    const at = eventIndex(event.id)
    if (event.type === 'user' || event.type === 'assistant' || event.type === 'reasoning')
      addNames(written, event.text, at)
    else if (event.type === 'tool_call') addNames(given, toolInputText(event.input), at)
  }
  return (line, after) => {
    const from = eventIndex(after)
    let score = 0
    for (const name of namesOf(line)) {
      for (const [uses, each] of [
        [written.get(name), worth.written],
        [given.get(name), worth.given],
      ] as const)
        if (uses !== undefined && uses.last > from) score += each / Math.sqrt(uses.count)
    }
    return score
  }
}

interface Uses {
  last: number
  /** Events that have the name. */
  count: number
}

function addNames(names: Map<string, Uses>, text: string, at: number): void {
  for (const name of namesOf(text)) {
    const uses = names.get(name)
    if (uses === undefined) names.set(name, { last: at, count: 1 })
    else {
      uses.last = at
      uses.count++
    }
  }
}

/** Words that no prose has by chance: `parseArgs`, `max_tokens`, `UTF8`, `HTTP_PORT`. */
function namesOf(text: string): Set<string> {
  return new Set(
    (text.match(/[A-Za-z_$][\w$]{3,60}/g) ?? []).filter((word) => /_|\d|[a-z][A-Z]|^[A-Z]{4}/.test(word)),
  )
}
