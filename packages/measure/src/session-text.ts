import { stripVTControlCharacters } from 'node:util'
import type { Session, SessionEvent } from '@tenfold/core'
import type { Steps } from '@tenfold/core/internal'

/**
 * Text of an event as plain lines: its label, then its words. Does not use core's rendering, which it serves to
 * measure.
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

/** All text of a session: one text per event, and the texts of its head. */
export function* sessionLines(session: Session): Steps<string[]> {
  const head = [session.cwd, session.branch, session.commit, session.title, session.id, ...session.models]
  const lines = head.filter((text) => text !== undefined).map(stripVTControlCharacters)
  for (const event of session.events) {
    yield
    const changes = event.type === 'tool_result' ? (event.changes ?? []).map(({ path }) => path) : []
    const text = event.type === 'other' ? JSON.stringify(event.raw) : eventLines(event)
    lines.push(...[...changes, text].filter(Boolean).map(stripVTControlCharacters))
  }
  return lines
}

function inputText(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return JSON.stringify(input) ?? ''
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
