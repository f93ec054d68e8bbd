import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import {
  type AssistantEvent,
  type ContextEvent,
  eventIndex,
  type SessionEvent,
  type ToolCallEvent,
} from '../../session/event.ts'
import { toolInputText } from '../../session/event-text.ts'
import { type ToolUse, textAt } from '../../tools/tool-uses.ts'
import { askedTexts } from '../answers/asked-questions.ts'
import { type ErrorFact, noResult } from '../facts.ts'
import { isCut, isErrorAnswer } from './session-state.ts'

const maxRemarkLength = 400
const maxTargetLength = 160
// The user stopped the agent: the state of the session says so, and nothing failed.
const byUser = /^\[?Request interrupted by user\b/

/**
 * Describes how a session broke off: calls of the main agent at its end without a result in the log, a plan that
 * was refused, and what the harness said when it stopped. Empty if the session came to its end, or if the log has no results.
 */
export function brokenOff(events: readonly SessionEvent[], uses: readonly ToolUse[]): ErrorFact[] {
  const end = events.findLastIndex(isLife)
  const last = events.slice(end + 1).filter(({ agent, copied }) => agent === 'main' && copied !== true)
  const unended = uses.some(({ result }) => result !== undefined)
    ? uses.filter(({ call, result }) => result === undefined && eventIndex(call.id) > end && isWork(call))
    : []
  return [
    ...uses.flatMap(({ call, result }) => {
      const isLast = result?.status === 'denied' && eventIndex(result.id) === end
      if (!isLast || askedTexts(call).length === 0) return []
      const [words] = /^[^.\n]{0,200}/.exec(result.text) ?? []
      return [{ message: `${call.name} was refused: ${words}`, call: call.id, event: result.id }]
    }),
    ...unended.map(({ call }) => {
      const message = `${noResult}${lineOf(`${call.name} ${purposeOf(call)}`)}`
      return { message, call: call.id, event: call.id }
    }),
    ...last.flatMap((event) => (isStop(event) ? [{ message: cleanLine(event.text), event: event.id }] : [])),
  ]
}

/** Words and results show that the session still continued. */
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

/** A question to the user waits for an answer: nothing broke off. */
function isWork({ agent, kind, name }: ToolCallEvent): boolean {
  return (
    agent === 'main' &&
    !/(?:^|_)ask|question|user_?input/i.test(name) &&
    !/^(?:read|search|think|switch_mode)$/.test(kind)
  )
}

/** The line of a call, cut; of a chain of commands also the last one, which it leads to, such as a push. */
function lineOf(text: string): string {
  const line = cleanLine(text)
  const last = cleanLine(text.split(/ && |; |\n/).at(-1) ?? '')
  if (line.length <= maxTargetLength || last === '' || last.length > maxTargetLength / 2)
    return cutHead(line, maxTargetLength)
  return `${cutHead(line, maxTargetLength - last.length)} … ${last}`
}

/** The purpose of a call in the agent's own words, otherwise its input. */
function purposeOf({ input }: ToolCallEvent): string {
  const words = textAt(input, 'description', 'title', 'explanation', 'justification')
  const given =
    textAt(input, 'command', 'cmd', 'file_path', 'path', 'filePath', 'url', 'prompt') ?? toolInputText(input)
  return words === undefined ? given : `(${words}): ${given}`
}
