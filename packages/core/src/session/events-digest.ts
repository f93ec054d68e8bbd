import { createHash, type Hash } from 'node:crypto'
import type { SessionEvent } from './event.ts'

/**
 * First 16 hex digits of the SHA-256 of the events, in order. Equal if two readings gave the same events, so that a
 * grown log can be compared with an earlier reading. Protects against chance, not against someone who forges a log.
 */
export function eventsDigest(events: readonly SessionEvent[]): string {
  return hashEvents(createHash('sha256'), events).slice(0, 16)
}

/** SHA-256 of one session, as hex: it does not change if only other sessions of its database change. */
export function sessionDigest(id: string, events: readonly SessionEvent[]): string {
  return hashEvents(createHash('sha256').update(`${JSON.stringify(id)}\n`), events)
}

function hashEvents(hash: Hash, events: readonly SessionEvent[]): string {
  for (const event of events) hash.update(`${JSON.stringify(event)}\n`)
  return hash.digest('hex')
}
