import type { SessionEvent } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import type { Redactor } from './redactor.ts'

/** Runs redactors over every text of a session: words, tool arguments leaf by leaf, outputs, raw records, title, notes. A note tells how many values were replaced. */
export function redactSession(session: Session, redactors: readonly Redactor[]): Session {
  if (redactors.length === 0) return session
  let hits = 0
  const redactText = (text: string): string =>
    redactors.reduce((current, redactor) => {
      const result = redactor.redact(current)
      hits += result.hits
      return result.text
    }, text)
  const events = session.events.map((event) => redactEvent(event, redactText))
  const notes = session.notes.map((note) => ({ ...note, message: redactText(note.message) }))
  const title = session.title === undefined ? {} : { title: redactText(session.title) }
  if (hits === 0) return session
  const note = { code: 'redacted', message: 'secrets were replaced by marks', count: hits }
  return { ...session, ...title, events, notes: [...notes, note] }
}

function redactEvent(event: SessionEvent, redactText: (text: string) => string): SessionEvent {
  if (event.type === 'tool_call') return { ...event, input: redactLeaves(event.input, redactText) }
  if (event.type === 'other') return { ...event, raw: redactLeaves(event.raw, redactText) }
  return 'text' in event ? { ...event, text: redactText(event.text) } : event
}

/** Readers pass on no value nested deeper than 200, so that recursion ends. */
function redactLeaves(value: unknown, redactText: (text: string) => string): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map((item) => redactLeaves(item, redactText))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactText(key), redactLeaves(item, redactText)]),
  )
}
