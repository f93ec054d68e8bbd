import type { Session } from '../../session/session.ts'

/** Version of Tenfold's own session lines. */
export const sessionLinesVersion = 1

/**
 * Writes a session as Tenfold's own JSONL, line by line with line ends: first its metadata, then one event a line.
 * `readSession` reads it back to the same events; only their `source` then refers to these lines.
 */
export function* sessionToJsonl(session: Session): Generator<string> {
  const { events, ...metadata } = session
  yield `${JSON.stringify({ tenfold: 'session', version: sessionLinesVersion, ...metadata })}\n`
  for (const event of events) yield `${JSON.stringify(event)}\n`
}
