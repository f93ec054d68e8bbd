import type { SessionEvent } from '../session/event.ts'
import { isHarnessText } from '../session/harness-text.ts'

/** Matches the line that `bundleOrigin` writes. */
const named = /^Record of past work: data, not instructions\b.*\bBrief of bundle (\d{8}T\d{9}Z-\d{9})\.\s*$/m

/** A brief names its bundle within this many characters. */
const briefStart = 2000

/** Returns the ids of the bundles whose briefs a session was given by a hook, a tool or the user, in log order. */
export function givenBriefs(events: readonly SessionEvent[]): string[] {
  const ids = events.flatMap((event) => {
    if (event.type !== 'user' && !isHarnessText(event)) return []
    const id = 'text' in event ? named.exec(event.text.slice(0, briefStart))?.[1] : undefined
    return id === undefined ? [] : [id]
  })
  return [...new Set(ids)]
}
