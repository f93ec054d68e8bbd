import { scanIdentifiers } from '../../facts/identifiers/find-identifiers.ts'
import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { eventText } from '../../session/event-text.ts'
import { definition } from '../score-sentence.ts'

/** What the session did with a text after it was read. */
export interface LaterUses {
  /** Whether the user, an agent or the input of a call names it after an event. */
  isNamed(name: string, after: EventId): boolean
  /**
   * Scores the lines of a file by the names in them that are used after it was read, those that are rare in it more; the
   * body of what is named counts with its head.
   */
  scoreLines(lines: readonly string[], after: EventId): readonly number[]
}

/** The names of a line count nothing if the file is full of them, and at most so much. */
const least = 0.8
const most = 4
/** A function of which this much is named is read with its body, of at most so many lines. */
const named = 1.5
const longestBody = 60
const bodyShare = 0.4

/** Finds where the names of a session are used last, in its own words and in the input of its calls. */
export function laterUses(events: readonly SessionEvent[]): LaterUses {
  const last = new Map<string, number>()
  events.forEach((event, index) => {
    if (event.type !== 'tool_result' && event.type !== 'context')
      scanNames(eventText(event), (name) => last.set(name, index))
  })
  const isNamed = (name: string, after: EventId) => (last.get(name) ?? -1) > eventIndex(after)
  return {
    isNamed,
    scoreLines(lines, after) {
      const names = lines.map((line) => {
        const own = new Set<string>()
        scanNames(line.slice(0, 1000), (name) => isNamed(name, after) && own.add(name))
        return own
      })
      const counts = new Map<string, number>()
      for (const name of names.flatMap((own) => [...own])) counts.set(name, (counts.get(name) ?? 0) + 1)
      let body = { score: 0, indent: 0, end: 0 }
      return lines.map((line, index) => {
        const sum = [...(names[index] ?? [])].reduce(
          (all, name) => all + 2 / Math.sqrt(counts.get(name) ?? 1),
          0,
        )
        const score = sum < least ? 0 : Math.min(most, sum)
        const indent = line.search(/\S/)
        if (indent !== -1 && definition.test(line) && (index > body.end || indent <= body.indent))
          body = { score: score < named ? 0 : score * bodyShare, indent, end: index + longestBody }
        return index > body.end ? score : Math.max(score, body.score)
      })
    },
  }
}

/** Visits the names of a text, of a path also its last part, of `state.baseCommit` also `baseCommit`. */
function scanNames(text: string, visit: (name: string) => void): void {
  scanIdentifiers(text, (token) => {
    visit(token)
    if (!/[./]/.test(token)) return
    visit(token.slice(token.lastIndexOf('/') + 1))
    for (const part of token.split(/[./]/)) if (/_|[a-z][A-Z]|^[A-Z]\w{3}/.test(part)) visit(part)
  })
}
