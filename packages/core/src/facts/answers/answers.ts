import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex, type SessionEvent } from '../../session/event.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { AnswerFact } from '../facts.ts'
import { type AskedQuestion, questionsOf } from './asked-questions.ts'
import { answersIn } from './given-answers.ts'
import { type OfferedOption, optionsNamed } from './offered-options.ts'
import { extractReplies } from './replies.ts'
import { extractVerdicts } from './verdicts.ts'

/**
 * Extracts the user's decisions by answer, in order: answers to tools that ask, plans approved or refused, tool uses
 * refused, and replies to a question of the agent. If a question was asked again, only the last answer is kept.
 */
export function extractAnswers(events: readonly SessionEvent[], uses: readonly ToolUse[]): AnswerFact[] {
  const main = uses.filter(({ call }) => call.agent === 'main' && call.inContext !== false)
  const all = [
    ...main.flatMap((use) => toolAnswers(use, events)),
    ...extractVerdicts(main, events),
    ...extractReplies(events),
  ].sort((a, b) => eventIndex(a.event) - eventIndex(b.event))
  const last = new Map<string, AnswerFact>()
  for (const answer of all) {
    // A reply whose question is unknown counts as a separate question.
    const key =
      answer.question === ''
        ? answer.event
        : `${answer.kind === 'plan' ? 'plan' : ''}\n${answer.question.toLowerCase()}`
    last.delete(key)
    last.set(key, answer)
  }
  const used = new Set<string>()
  return [...last.values()].filter(
    ({ kind, event, question }) =>
      !asksForFacts.test(question) && (kind !== 'reply' || (!used.has(event) && used.add(event))),
  )
}

/** The answer says what the user saw or has, not what is to be done. */
const asksForFacts =
  /^(?:\W|next question:|to get started,?|and|so)*(?:(?:where|when|why|how often) (?:did|have|has|was|were)\b|what (?:error|message|output|version|scenario|(?:do|did|can) you (?:see|get|believe|observe|notice))\b|(?:do|did|have|can) you (?:have the|see|get|notice|observe|reproduce|tried|try)\b|(?:could|can|would) you (?:please )?(?:provide|share|paste|send|confirm your|tell me (?:your|what you|the error))\b)/i

function toolAnswers({ call, result }: ToolUse, events: readonly SessionEvent[]): AnswerFact[] {
  const questions = questionsOf(call)
  if (
    questions.length === 0 ||
    (result !== undefined && result.status !== 'ok' && result.status !== 'denied')
  )
    return []
  const next = events[eventIndex(call.id) + 1]
  // Clients that keep no result of the call log the answer as the next user message.
  if (result === undefined && (next?.type !== 'user' || questions.length > 1)) return []
  const given =
    result === undefined
      ? new Map([[0, next?.type === 'user' ? next.text : '']])
      : answersIn(result.text, questions)
  return questions.flatMap((asked, place): AnswerFact[] => {
    const answer = given.get(place)
    if (answer === undefined || answer.trim() === '') return []
    if (result?.status === 'denied' && chosenOf(answer, asked).length === 0) return []
    return [answerFact(asked, answer, call.id, result?.id ?? next?.id ?? call.id)]
  })
}

function answerFact(
  asked: AskedQuestion,
  answer: string,
  call: AnswerFact['asked'],
  event: AnswerFact['event'],
): AnswerFact {
  const chosen = chosenOf(answer, asked)
  return {
    kind: 'question',
    question: cleanLine(asked.question),
    answer: cleanLine(answer),
    chosen,
    others: asked.options.filter((option) => !chosen.includes(option)),
    asked: call,
    event,
  }
}

/** The options that an answer consists of; for an answer in the user's own words also those that it names by number. */
function chosenOf(answer: string, { options }: AskedQuestion): OfferedOption[] {
  const exact = options.filter(({ label }) => label === answer.trim())
  if (exact.length > 0) return exact
  const several = options.filter(
    ({ label }) => `, ${answer}, `.includes(`, ${label}, `) || answer.startsWith(`${label} (`),
  )
  if (several.length > 0) return several
  return optionsNamed(
    answer,
    options.map((option, at) => ({ mark: String(at + 1), ...option })),
  )
    .map(({ label }) => options.find((option) => option.label === label))
    .filter((option) => option !== undefined)
}
