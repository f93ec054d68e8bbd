import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import {
  type AssistantEvent,
  type ContextEvent,
  type EventId,
  eventIndex,
  type SessionEvent,
} from '../../session/event.ts'
import { known } from '../../session/known.ts'
import type { Note } from '../../session/note.ts'
import { type ToolUse, textAt } from '../../tools/tool-uses.ts'
import { askedTexts } from '../answers/asked-questions.ts'
import type { StateFact, TaskFact } from '../facts.ts'
import { type Ask, closingOf } from './asks.ts'
import { keepsBooks } from './harness-commands.ts'
import { isAct, lastWorkTurn, type WorkTurn } from './last-turn.ts'
import { type LeftOpen, leftOpen } from './left-open.ts'
import { type Calls, endedByCalls } from './open-calls.ts'
import { runningAgent } from './running-agent.ts'

const maxWordsLength = 300

/**
 * Determines how a session ended, by the last turn of the main agent that is about work: thanks, farewells and local
 * commands after it change nothing, and a compaction is not an answer. `undefined` for a session without work or
 * request.
 */
export function sessionState(
  events: readonly SessionEvent[],
  calls: Calls,
  tasks: readonly TaskFact[] = [],
  notes: readonly Note[] = [],
): StateFact | undefined {
  const turn = lastWorkTurn(events)
  if (turn === undefined) return undefined
  const whole = endOf(turn, usesOf(turn, calls.uses), calls)
  const running = whole.because === 'answer' ? runningAgent(events, turn) : undefined
  if (running !== undefined)
    return { ...whole, ...known({ request: turn.request?.id }), ...wordsOf(running.task), ...running.end }
  const isCutLog = notes.some(({ code }) => code === 'truncated-tail')
  const end = isCutLog && whole.because !== 'open-call' ? cutLog(whole, turn) : whole
  const state = end.because === 'answer' ? withTasks(end, turn, tasks) : end
  const request = turn.request === undefined ? {} : { request: turn.request.id }
  // A user who leaves while the agent works cuts it off.
  const left = state.state === 'in-progress' ? turn.left : undefined
  const answer = turn.events.find(({ id }) => id === state.answer)
  const ofAnswer = answer?.type === 'assistant' ? leftOpen(answer.text) : undefined
  const questions = [...state.questions, ...leftToDecide(ofAnswer, state)]
  if (state.state === 'finished' && ofAnswer?.remains)
    return { ...state, ...request, questions, state: 'in-progress' }
  if (left === undefined) return { ...state, ...request, questions }
  return {
    ...state,
    questions,
    ...request,
    state: 'interrupted',
    because: 'aborted',
    evidence: [...state.evidence, left],
  }
}

/** The content of the last line is lost, because the agent was killed while it worked. */
function cutLog({ answer }: End, { request, events }: WorkTurn): End {
  const last = events.at(-1)?.id ?? request?.id
  const evidence = last === undefined ? [] : [last]
  return { state: 'interrupted', because: 'working', ...known({ answer }), evidence, questions: [] }
}

/** Returns open decisions under a label or heading of the last answer, except repetitions of a question. */
function leftToDecide(left: LeftOpen | undefined, { answer, questions }: End): StateFact['questions'] {
  if (answer === undefined) return []
  return (left?.questions ?? [])
    .filter((text) => !questions.some((asked) => text.includes(asked.text) || asked.text.includes(text)))
    .map((text) => ({ text, event: answer }))
}

type End = Omit<StateFact, 'request'>

function endOf(turn: WorkTurn, uses: readonly ToolUse[], all: Calls): End {
  const { events } = turn
  const answer = events.findLast(isAnswer)
  const said = answer === undefined ? {} : { answer: answer.id }
  const lastAct = events.findLastIndex((event) => isAct(event) || event.type === 'tool_result')
  const cut = events.slice(lastAct + 1).findLast(isCut)
  if (cut !== undefined) {
    const { call, result } = uses.findLast((use) => !isBookkeeping(use)) ?? {}
    // A user who refuses a plan without a reason still has to name the changes.
    const isAsked = call !== undefined && result?.status === 'denied' && askedTexts(call).length > 0
    return { ...said, ...cutOff(cut), ...(isAsked ? { state: 'waiting' } : {}), questions: [] }
  }
  if (!events.some(isAct)) {
    const evidence = turn.request === undefined ? [] : [turn.request.id]
    return { state: 'interrupted', because: 'no-answer', evidence, questions: [] }
  }
  const since = uses.filter(({ call }) => answer === undefined || eventIndex(call.id) > eventIndex(answer.id))
  const asking = since.find(({ call, result }) => result === undefined && askedTexts(call).length > 0)
  if (asking !== undefined) {
    const texts = askedTexts(asking.call)
    return {
      state: 'waiting',
      because: 'question',
      ...said,
      ...wordsOf(texts.join(' ')),
      evidence: [asking.call.id],
      questions: texts.map((text) => ({ text, event: asking.call.id })),
    }
  }
  const open = since.filter(({ result }) => result === undefined)
  if (open.length > 0) return { ...said, ...endedByCalls(open, all), questions: [] }
  const last = since.findLast((use) => !isBookkeeping(use))
  if (last?.result?.status === 'denied' || last?.result?.status === 'cancelled')
    return { state: 'interrupted', because: 'aborted', ...said, evidence: [last.result.id], questions: [] }
  if (last !== undefined && ends(last))
    return { state: 'finished', because: 'answer', ...said, evidence: [last.call.id], questions: [] }
  return answer === undefined ? working(since, said) : byAnswer(turn, answer, last, since)
}

/** Decides by the agent's last words, and by whether calls followed them. */
function byAnswer(
  turn: WorkTurn,
  answer: AssistantEvent,
  last: ToolUse | undefined,
  since: readonly ToolUse[],
): End {
  const said = { answer: answer.id }
  const { text, phase } = answer
  if (isErrorAnswer(text)) return { ...said, ...failure(text, answer.id), questions: [] }
  const { asks, announces, isCut, gaveUp } = closingOf(text)
  if (asks.length > 0 && turn.declined === undefined && phase !== 'commentary')
    return waiting(asks, answer.id)
  if (last !== undefined) return working(since, said)
  if (phase === 'commentary' || (announces && (phase !== 'final' || isCut)))
    return { state: 'in-progress', because: 'working', ...said, evidence: [answer.id], questions: [] }
  return {
    state: gaveUp ? 'failed' : 'finished',
    because: gaveUp ? 'gave-up' : 'answer',
    ...said,
    evidence: [answer.id],
    questions: [],
  }
}

/** An answer leaves the work open if the request's task list does. */
function withTasks(end: End, { request }: WorkTurn, tasks: readonly TaskFact[]): End {
  const isKept = tasks.some(
    ({ event }) => request !== undefined && eventIndex(event) > eventIndex(request.id),
  )
  const open = tasks.findLast(({ status }) => status === 'in_progress' || status === 'pending')
  if (!isKept || open === undefined || end.answer === undefined) return end
  return { ...end, state: 'in-progress', because: 'tasks', evidence: [...end.evidence, open.event] }
}

function waiting(asks: readonly Ask[], answer: EventId): End {
  const questions = asks.filter(({ kind }) => kind === 'question')
  // A question takes precedence over the offers around it.
  const because = questions.length > 0 ? 'question' : (asks.at(-1)?.kind ?? 'offer')
  return {
    state: 'waiting',
    because,
    answer,
    ...wordsOf(asks.map(({ text }) => text).join(' ')),
    evidence: [answer],
    questions: questions.map(({ text }) => ({ text, event: answer })),
  }
}

function working(since: readonly ToolUse[], said: { answer?: EventId }): End {
  const last = since.at(-1)
  const evidence = last === undefined ? [] : [last.result?.id ?? last.call.id]
  return { state: 'in-progress', because: 'working', ...said, evidence, questions: [] }
}

function usesOf({ request, events }: WorkTurn, uses: readonly ToolUse[]): ToolUse[] {
  const first = request?.id ?? events[0]?.id
  return first === undefined
    ? []
    : uses.filter(
        ({ call }) =>
          call.agent === 'main' && call.inContext !== false && eventIndex(call.id) >= eventIndex(first),
      )
}

function isAnswer(event: SessionEvent): event is AssistantEvent {
  return event.type === 'assistant' && event.text.trim() !== ''
}

const isBookkeeping = ({ call }: ToolUse) => call.kind === 'think' || keepsBooks(call.name)

/** Whether the agent reports by a call that it is done, or hands over. */
function ends({ call }: ToolUse): boolean {
  if (
    /^(?:submit|finish|finished|done|task_?complete|complete_?task|attempt_?completion|final_?answer|end_?session|(?:transfer|handoff|hand_?off)_?to_\w+)$/i.test(
      call.name,
    )
  )
    return true
  const command = call.kind === 'execute' ? textAt(call.input, 'command', 'cmd') : undefined
  return (
    command !== undefined && /^\s*submit\b|COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT/.test(command.slice(0, 500))
  )
}

/** Whether an event is the harness's message about a turn that did not finish, or about the end of the run. */
export function isCut(event: SessionEvent): event is ContextEvent {
  if (event.type !== 'context' || !/^(?:harness|notification|hook)$/.test(event.origin)) return false
  const name = event.name ?? ''
  const head = event.text.slice(0, 300)
  if (event.origin === 'hook') return /stopped by hook/i.test(head)
  return (
    cutName.test(name) ||
    abortText.test(head) ||
    limitText.test(head) ||
    (name !== 'result' && isErrorText(head))
  )
}

const cutName = /abort|interrupt|cancel|^(?:\w+_)?error$|\w+Error$|request failed|^exit status$|^turn_ended$/i
const abortText =
  /^\W*(?:the )?(?:request|turn|operation|generation|response|session|task|agent|execution|run|command)?\W*(?:was |has been |is )?(?:interrupted|abort(?:ed)?|cancell?ed|killed|terminated|stopped)\b/i
const limitText =
  /\bmax(?:imum)?[ _-]?(?:number of |allowed )?(?:iterations?|steps?|turns?|rounds?|requests?)\b|\b(?:iteration|step|turn)s? limit/i

function cutOff({
  id,
  name = '',
  text,
}: ContextEvent): Pick<End, 'state' | 'because' | 'words' | 'evidence'> {
  const words = wordsOf(text)
  if (name === 'exit status' && /^submitted$/i.test(text.trim()))
    return { state: 'finished', because: 'answer', evidence: [id] }
  if (limitText.test(text.slice(0, 1000)))
    return { state: 'interrupted', because: 'limit', ...words, evidence: [id] }
  if (/abort|interrupt|cancel/i.test(name) || abortText.test(text))
    return { state: 'interrupted', because: 'aborted', ...words, evidence: [id] }
  return failure(text, id)
}

function failure(text: string, id: EventId): Pick<End, 'state' | 'because' | 'words' | 'evidence'> {
  return { state: 'failed', because: 'error', ...wordsOf(text), evidence: [id] }
}

const maxErrorLength = 600

/** Whether a text under the model's name is the harness's, because no model answered. */
export function isErrorAnswer(text: string): boolean {
  return text.length < maxErrorLength && isErrorText(text)
}

function isErrorText(text: string): boolean {
  return /^\W*(?:(?:\w+ )?API error\b|(?:fatal |internal |unexpected |provider |server )*error\b.{0,3}:|error \d{3}\b|credit balance|insufficient (?:credits?|quota|funds|balance)|(?:you(?:'ve| have)|you) (?:hit|reached|exceeded|run out of) (?:your|the)|(?:\w+ ){0,3}(?:usage|rate|session|weekly|token|spend(?:ing)?|context(?: window)?) limit (?:reached|exceeded|hit)|rate limit|too many requests|prompt is too long|request timed out|request failed|overloaded|quota exceeded|invalid api key|authentication (?:failed|error)|connection (?:error|lost|refused)|network error|stream (?:error|disconnected)|out of credits|please run \/login)/i.test(
    text,
  )
}

function wordsOf(text: string): { words?: string } {
  const words = cutHead(cleanLine(text.slice(0, maxWordsLength * 4)), maxWordsLength).trim()
  return words === '' ? {} : { words }
}
