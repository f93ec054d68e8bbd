import { createHash, type Hash, hash } from 'node:crypto'
import type { SessionEvent } from './event.ts'
import { pause } from './pauses.ts'

/**
 * Returns the digest of a log: for one file its SHA-256, for several that of their `sha256sum` lines with unescaped
 * names.
 */
export function logDigest(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  const [first] = files
  if (first !== undefined && files.length === 1) return first.sha256
  return hash('sha256', files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
}

/**
 * Returns the first 16 hex digits of the SHA-256 of the events, in order, so that a grown log can be compared with an
 * earlier reading. Not safe against deliberately forged logs.
 */
export async function eventsDigest(events: readonly SessionEvent[]): Promise<string> {
  const digest = createHash('sha256')
  for (let start = 0; start < events.length; start += eventsAtOnce) {
    addEvents(digest, events.slice(start, start + eventsAtOnce))
    await pause()
  }
  return digest.digest('hex').slice(0, 16)
}

const eventsAtOnce = 100

/** SHA-256 of one session, as hex. It does not change if only other sessions of its database change. */
export function sessionDigest(id: string, events: readonly SessionEvent[]): string {
  return addEvents(createHash('sha256').update(`${JSON.stringify(id)}\n`), events).digest('hex')
}

function addEvents(digest: Hash, events: readonly SessionEvent[]): Hash {
  for (const event of events) digest.update(`${JSON.stringify(event)}\n`)
  return digest
}
