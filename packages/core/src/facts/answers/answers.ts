import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex, type SessionEvent, type UserEvent } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { type ToolUse, textAt } from '../../tools/tool-uses.ts'
import type { AnswerFact } from '../facts.ts'
import { type AskedQuestion, answersIn, questionsOf } from './asked-questions.ts'
import { suggests } from './errands.ts'
import { type OfferedOption, optionsNamed } from './offered-options.ts'
import { extractReplies } from './replies.ts'

/**
 * Extracts the user's decisions by answer, in order: answers to tools that ask, plans approved or refused, tool uses
 * refused, and replies to a question of the agent. If a question was repeated, only the last answer is kept.
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
    // A reply to an unknown question counts as a separate question; "Two options:" is not one.
    const key =
      answer.kind === 'reply' && !/[?？]/.test(answer.question)
        ? `${answer.event}\n${answer.answer}`
        : `${answer.kind === 'plan' ? 'plan' : ''}\n${answer.question.toLowerCase()}`
    last.delete(key)
    last.set(key, answer)
  }
  return [...last.values()].filter(({ question }) => !asksForFacts.test(question))
}

/** Questions about what the user saw or has, not about what to do. */
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

/** Returns the options that an answer consists of; for an answer in the user's own words, also those named by number. */
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

/** Returns plans that the user approved or refused, and tool uses that the user refused, with the reason if any. */
function extractVerdicts(uses: readonly ToolUse[], events: readonly SessionEvent[]): AnswerFact[] {
  return uses.flatMap((use): AnswerFact[] => {
    if (use.result === undefined) return []
    if (isPlan(use)) return planVerdict(use, events)
    if (use.outcome !== 'denied' || questionsOf(use.call).length > 0 || !refusedByUser(use.result.text))
      return []
    const said = reasonOf(use, events)
    const reason = said !== undefined && onlyAsks(said.text) ? undefined : said
    const asked = cleanLine(`${use.call.name}: ${targetOf(use)}`.slice(0, 160)).replace(/: ?$/, '')
    return [verdict('refusal', asked, reason?.text ?? '', use, reason?.event)]
  })
}

function isPlan({ call }: ToolUse): boolean {
  return /^exit_?plan|plan_?mode_?(?:respond|exit)|submit_?plan|propose_?plan/i.test(call.name)
}

function planVerdict(use: ToolUse, events: readonly SessionEvent[]): AnswerFact[] {
  const plan = textAt(use.call.input, 'plan', 'response', 'content') ?? ''
  const title = cleanLine((plan.trim().split('\n')[0] ?? '').replace(/^#+\s*/, '').slice(0, 160))
  if (use.outcome === 'ok') return [verdict('plan', title, 'approved the plan', use)]
  if (use.outcome !== 'denied') return []
  const reason = reasonOf(use, events)
  return [
    verdict(
      'plan',
      title,
      reason === undefined ? 'did not approve the plan' : `did not approve the plan: ${reason.text}`,
      use,
      reason?.event,
    ),
  ]
}

function verdict(
  kind: AnswerFact['kind'],
  question: string,
  answer: string,
  { call, result }: ToolUse,
  event?: AnswerFact['event'],
): AnswerFact {
  return {
    kind,
    question,
    answer: cleanLine(answer),
    chosen: [],
    others: [],
    asked: call.id,
    event: event ?? result?.id ?? call.id,
  }
}

/** Whether a refusal is the user's, not that of a hook, a rule or a sandbox. */
function refusedByUser(text: string): boolean {
  const head = text.slice(0, 300)
  return (
    head === '' ||
    (/\buser\b|rejected|declined|denied by you/i.test(head) &&
      !/\b(?:hook|classifier|policy|sandbox)\b/i.test(head))
  )
}

const maxReasonLength = 600

/** Returns the user's words about a refusal: in the result, or in the next message if the agent wrote nothing in between. */
function reasonOf(
  { result }: ToolUse,
  events: readonly SessionEvent[],
): { text: string; event?: UserEvent['id'] } | undefined {
  if (result === undefined) return undefined
  const said =
    /the user said:\s*([\s\S]{1,2000})/i.exec(result.text)?.[1] ??
    /<(?:feedback|user_feedback)>([\s\S]{1,2000}?)<\/(?:user_)?feedback>/.exec(result.text)?.[1]
  if (said !== undefined && said.trim() !== '')
    return { text: (said.split("\n\nNote: The user's next")[0] ?? said).trim().slice(0, maxReasonLength) }
  for (const event of events.slice(eventIndex(result.id) + 1)) {
    if (event.agent !== 'main') continue
    if (event.type === 'user' && isCommand(event)) return undefined
    if (event.type === 'user')
      return event.text.length > maxReasonLength ? undefined : { text: event.text, event: event.id }
    if (event.type === 'assistant' || event.type === 'tool_call') return undefined
  }
  return undefined
}

/** `/exit`: an order to the harness is not a reason. */
function isCommand({ origin, text }: UserEvent): boolean {
  return origin === 'command' || /^\/[\w:-]{1,40}$/.test(text.trim())
}

/** Whether a text is only a question without a suggestion, so that the reason for the refusal stays open. */
function onlyAsks(text: string): boolean {
  const sentences = text.trim().split(/(?<=[.!。！])\s*|\n+/)
  return sentences.every((sentence) => /[?？]["')\]]*$/.test(sentence.trim())) && !suggests.test(text)
}

function targetOf({ call }: ToolUse): string {
  if (typeof call.input === 'string') return call.input
  const keys = 'command cmd file_path filePath path url query title description'.split(' ')
  const target =
    textAt(call.input, ...keys) ??
    Object.values(json.fields(call.input)).find((value) => typeof value === 'string')
  return typeof target === 'string' ? target : ''
}
