import { eventIndex, type SessionEvent, type ToolCallEvent } from '../../session/event.ts'
import { commandOf } from '../tool-line.ts'

/** A longer message says itself what is to be done. */
const longestMessage = 60

/** Output that tells its reader what to do. */
const order =
  /\byou(?:r)? (?:task|job|are working|must|should|will)\b|^#{1,3} (?:task|plan|goals?|instructions|steps)\b/im

/**
 * Whether a command is all that a user wrote, as `team next`, and its output says what to do: then the output is the
 * task.
 */
export function isOrder(events: readonly SessionEvent[], call: ToolCallEvent, output: string): boolean {
  if (call.kind !== 'execute' || call.agent !== 'main' || !order.test(output.slice(0, 20_000))) return false
  const command = commandOf(call.input)?.trim() ?? ''
  for (let at = eventIndex(call.id) - 1; at >= 0; at--) {
    const event = events[at]
    if (event?.turn !== call.turn) return false
    if (event.type !== 'user' || event.agent !== 'main') continue
    const words = event.text
      .trim()
      .replace(/^(?:please |run |execute )+/i, '')
      .replace(/^`+|`+$/g, '')
    return words.length >= 4 && words.length <= longestMessage && command.startsWith(words)
  }
  return false
}
