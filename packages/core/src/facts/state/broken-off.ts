import { cleanLine } from '../../session/clean-text.ts'
import { type AssistantEvent, type ContextEvent, eventIndex, type SessionEvent } from '../../session/event.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import { askedTexts } from '../answers/asked-questions.ts'
import type { ErrorFact } from '../facts.ts'
import { isCut, isErrorAnswer } from './session-state.ts'

const maxRemarkLength = 400
// The user stopped the agent, which the session's state shows; nothing failed.
const byUser = /^\[?Request interrupted by user\b/

/**
 * Describes how a session broke off: a refused plan, and what the harness reported when it stopped. Empty if the
 * session ended normally. A call without a result is not an error.
 */
export function brokenOff(events: readonly SessionEvent[], uses: readonly ToolUse[]): ErrorFact[] {
  const end = events.findLastIndex(isLife)
  const last = events.slice(end + 1).filter(({ agent, copied }) => agent === 'main' && copied !== true)
  return [
    ...uses.flatMap(({ call, result }) => {
      const isLast = result?.status === 'denied' && eventIndex(result.id) === end
      if (!isLast || askedTexts(call).length === 0) return []
      const [words] = /^[^.\n]{0,200}/.exec(result.text) ?? []
      return [{ message: `${call.name} was refused: ${words}`, call: call.id, event: result.id }]
    }),
    ...last.flatMap((event) => (isStop(event) ? [{ message: cleanLine(event.text), event: event.id }] : [])),
  ]
}

/** Whether an event shows that the session still continued: words or results. */
function isLife(event: SessionEvent): boolean {
  if (event.agent !== 'main') return false
  if (event.type === 'assistant') return !isErrorAnswer(event.text)
  return event.type === 'user' || event.type === 'tool_result'
}

function isStop(event: SessionEvent): event is ContextEvent | AssistantEvent {
  if ('text' in event && byUser.test(event.text)) return false
  if (event.type === 'assistant') return isErrorAnswer(event.text)
  return isCut(event) && event.text.length <= maxRemarkLength
}
