import { literalScanner } from '@tenfold/redact/internal'
import type { Facts } from '../facts/facts.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { EventId, SessionEvent } from '../session/event.ts'
import { eventText } from '../session/event-text.ts'
import { once } from '../session/once.ts'
import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'

/** Finds texts in a log, ignoring white space. */
export interface LogSearch {
  /**
   * Returns those of the texts that occur in an event, or are identifiers of the facts. One pass over the log for any
   * number of texts.
   */
  findAll(texts: ReadonlySet<string>): Steps<ReadonlySet<string>>
  /**
   * Returns the user messages that hold the words, in order; none that was taken back or belongs to a parent session.
   */
  userEvents(words: string): EventId[]
}

/** Minimum length of a text for the scanner. */
const shortest = 3

/** Text of an event on one line. */
export type LineOf = (event: SessionEvent) => string

/** Characters of lines that are remembered: those of a log of 1 GB would take as much memory again. */
const maxRemembered = 32 * 1024 * 1024
/** Of a larger log, a part of which would save little: room for the events that statements cite, which come first. */
const maxCited = 4 * 1024 * 1024

/** {@link LineOf} that makes the line of each of these events once, as long as they take little memory. */
export function rememberedLines(events: readonly SessionEvent[]): LineOf {
  const lines = new Map<SessionEvent, string>()
  const size = events.reduce((sum, event) => sum + ('text' in event ? event.text.length : 0), 0)
  let room = size > maxRemembered ? maxCited : maxRemembered
  return (event) => {
    const known = lines.get(event)
    if (known !== undefined) return known
    const line = eventLine(event)
    room -= line.length
    if (room > 0) lines.set(event, line)
    return line
  }
}

/** Creates a search that reads the log once, at the first query that needs it. */
export function logSearch(session: Session, facts: Facts, lineOf: LineOf = eventLine): LogSearch {
  const fromUser = once(() => {
    const live = session.events.filter((event) => event.copied !== true && event.inContext !== false)
    const typed = live.filter((event) => event.type === 'user')
    // In a subagent's log the agent that gave the task takes the user's place.
    const given = live.filter(
      (event) => event.type === 'context' && event.origin === 'agent' && event.agent === 'main',
    )
    return (typed.length > 0 ? typed : given).map((event) => ({ id: event.id, line: lineOf(event) }))
  })
  return {
    *findAll(texts) {
      const found = new Set([...texts].filter((text) => text === '' || facts.identifiers.has(text)))
      const left = [...texts].filter((text) => !found.has(text))
      if (left.length === 0) return found
      const long = left.filter((text) => text.length >= shortest)
      const scanner = literalScanner<string>(long.reduce((least, text) => Math.min(least, text.length), 64))
      for (const text of long) scanner.add(text, text)
      for (const event of session.events) {
        if (scanner.size === 0 || found.size === texts.size) break
        yield
        // Rejecting each match makes the scanner continue with the others at the same position.
        scanner.matches(lineOf(event), ({ owner }) => {
          found.add(owner)
          return false
        })
      }
      for (const text of left)
        if (text.length < shortest && session.events.some((event) => lineOf(event).includes(text)))
          found.add(text)
      return found
    },
    userEvents(words) {
      const wanted = cleanLine(words)
      return fromUser()
        .filter(({ line }) => line.includes(wanted))
        .map(({ id }) => id)
    },
  }
}

function eventLine(event: SessionEvent): string {
  return cleanLine(eventText(event))
}
