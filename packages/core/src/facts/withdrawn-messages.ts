import type { EventId, SessionEvent } from '../session/event.ts'

// "sorry, wrong chat. ignore my last message"
const takesBack =
  /\bwrong (?:chat|window|session|thread|tab|terminal|conversation|channel|project|repo)\b|\b(?:ignore|disregard|forget|scratch|delete) (?:(?:my|the|that|this) )?(?:last|previous|prior) (?:message|prompt|request|one|question)\b|\bfalsche[rs]? (?:chat|fenster|sitzung|projekt)\b|\bignorier(?:e)? (?:meine|die) letzte (?:nachricht|anfrage)\b/i

const maxWithdrawing = 160

/** Whether a message takes back the one before it. */
export function takesBackLast(text: string): boolean {
  return text.length <= maxWithdrawing && takesBack.test(text)
}

/** The messages of the user that the next one takes back, and those that do so: nothing in either is asked for. */
export function withdrawnMessages(events: readonly SessionEvent[]): ReadonlySet<EventId> {
  const withdrawn = new Set<EventId>()
  let before: EventId | undefined
  for (const event of events) {
    if (event.type !== 'user' || event.agent !== 'main' || event.copied === true) continue
    if (takesBackLast(event.text)) {
      withdrawn.add(event.id)
      if (before !== undefined) withdrawn.add(before)
    }
    before = event.id
  }
  return withdrawn
}
