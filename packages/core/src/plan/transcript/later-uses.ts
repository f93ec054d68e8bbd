import { scanIdentifiers } from '../../facts/identifiers/find-identifiers.ts'
import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { eventText } from '../../session/event-text.ts'
import { definition } from '../score-sentence.ts'

/** How the session used a text after it was read. */
export interface LaterUses {
  /** Whether the user, an agent or the input of a call contains the name after an event. */
  isNamed(name: string, after: EventId): boolean
  /**
   * Scores the lines of a file by their names that are used after it was read; rare names score more. The body of a
   * named function scores with its head.
   */
  scoreLines(lines: readonly string[], after: EventId): readonly number[]
}

/** Bounds of a line's score; below the lower one, its names are too frequent in the file to count. */
const least = 0.8
const most = 4
/** A function whose head has at least this score is read with its body, up to this many lines. */
const named = 1.5
const longestBody = 60
const bodyShare = 0.4

/** Finds the last use of each name, in messages and in the input of calls. */
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

/** Visits the names in a text, also the last part of a path, and `baseCommit` of `state.baseCommit`. */
function scanNames(text: string, visit: (name: string) => void): void {
  scanIdentifiers(text, (token) => {
    visit(token)
    if (!/[./]/.test(token)) return
    visit(token.slice(token.lastIndexOf('/') + 1))
    for (const part of token.split(/[./]/)) if (/_|[a-z][A-Z]|^[A-Z]\w{3}/.test(part)) visit(part)
  })
}
