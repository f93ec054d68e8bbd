import { stripVTControlCharacters } from 'node:util'
import type { Session, SessionEvent } from '@tenfold/core'

/**
 * Text of an event as plain lines: its label, then its words. Separate code on purpose: core must not render its own
 * ruler.
 */
export function eventLines(event: SessionEvent): string {
  switch (event.type) {
    case 'tool_call':
      return `[${event.name}] ${inputText(event.input)}`
    case 'tool_result':
      return `[result ${event.status}${event.exitCode === undefined ? '' : ` exit ${event.exitCode}`}] ${event.text}`
    case 'user':
    case 'context':
    case 'assistant':
    case 'reasoning':
    case 'compaction':
      return `[${event.type}] ${event.text}`
    default:
      return ''
  }
}

/** All text of a session, as one text. */
export function sessionText(session: Session): string {
  const head = [session.cwd, session.branch, session.commit, session.title, session.id, ...session.models]
  const body = session.events.map((event) =>
    event.type === 'other' ? JSON.stringify(event.raw) : eventLines(event),
  )
  const changes = session.events.flatMap((event) =>
    event.type === 'tool_result' ? (event.changes ?? []).map((change) => change.path) : [],
  )
  return stripVTControlCharacters([...head, ...changes, ...body].filter(Boolean).join('\n'))
}

function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return JSON.stringify(input) ?? ''
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
