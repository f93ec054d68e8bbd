import {
  askingPart,
  checkHint,
  cleanLine,
  eventIndex,
  failingCheck,
  isDecisive,
  mayComeNext,
  onlyGoesOn,
  rerunHint,
  toRun,
} from '@tenfold/core/internal/summarizer'
import type { Facts, NextStep, StateFact, TranscriptItem } from '@tenfold/core/summarizer'
import { some, uncommitted } from './done.ts'
import { lastWords } from './kind-sections.ts'
import { requestAtHand, tells } from './request-at-hand.ts'
import { announces, answerOpening, clip, closing } from './sentences.ts'
import { tasksOfTurn } from './tasks-at-hand.ts'

/** Where to continue, by the state of the session. Empty if nobody worked or asked, and after an answer. */
export function resumePoint(items: readonly TranscriptItem[], facts: Facts): NextStep[] {
  const { state } = facts
  if (state === undefined || state.because === 'answer') return []
  const command = commandOf(state, facts)
  return [
    {
      action: said(actionOf(state, items, facts)),
      command,
      evidence: [...state.evidence],
    },
  ]
}

/**
 * The request that the agent was working on. The user's last words may only have steered it, or told it to go on: if the
 * task in progress was listed before them, what was asked before the task is.
 */
function requestOfWork(items: readonly TranscriptItem[], state: StateFact, facts: Facts): StateFact {
  const { request } = state
  if (request === undefined) return state
  const listed = tasksOfTurn(facts).find(({ status }) => status === 'in_progress')?.listed
  const words = askingPart(items.find(({ event }) => event === request)?.text ?? '')
  const isAnswer = facts.answers.some(({ event }) => event === request)
  // "Commit" is a request of its own.
  const goesOn = onlyGoesOn.test(words) && !/commit|push|ship|merge|run|提交|推送/i.test(words) && !isAnswer
  const isSteered = listed !== undefined && eventIndex(listed) < eventIndex(request)
  if (!goesOn && !isSteered) return state
  const before = Math.min(eventIndex(request), isSteered ? eventIndex(listed) : Number.POSITIVE_INFINITY)
  const asked = items.findLast((item) => eventIndex(item.event) < before && tells(item))
  return asked === undefined ? state : { ...state, request: asked.event }
}

function actionOf(state: StateFact, items: readonly TranscriptItem[], facts: Facts): string {
  const { because, words = '' } = state
  const work = requestOfWork(items, state, facts)
  const request = requestAtHand(items, work, 240, facts.answers)
  const atHand = request === '' ? '' : ` Asked for: ${request}`
  switch (because) {
    case 'answer':
      return ''
    case 'question':
      return words.startsWith('plan: ')
        ? `Waits for approval of the ${words}`
        : `Waits for an answer: ${words}`
    case 'offer': {
      const made = madeSince(state, facts)
      return `${made === '' ? '' : `${made} `}Waits for a word of the user: ${words}`
    }
    case 'trial':
      return `Waits for what the user finds: ${words}`
    case 'no-answer':
      if (work.request !== state.request) return goOn(work, items, facts, request)
      return request === '' ? 'Answer the last message' : `Answer the last message: ${request}`
    case 'subagent': {
      const act = items.findLast(({ event }) => event === state.evidence.at(-1))
      return `A subagent was still at work: wait for it, or look at what it did and continue. Its task: ${asSentence(words)} Last: ${asSentence(act === undefined ? 'unknown' : callLine(act, facts))}${atHand}`
    }
    case 'open-call':
    case 'working':
      return goOn(work, items, facts, request)
    case 'tasks': {
      const open = (status: string) => facts.tasks.find((task) => task.status === status)
      return `Continue: ${clip((open('in_progress') ?? open('pending'))?.text ?? '', 140)}`
    }
    case 'aborted':
      return `${asSentence(stopped(state, items, facts))} Find out what the user wants now.${atHand}`
    case 'limit':
    case 'error':
      return `${because === 'limit' ? 'Stopped at a limit' : 'Ended by an error'} (${words}) after: ${asSentence(lastDone(state, items, facts))}${atHand}`
    case 'gave-up':
      return `The agent gave up: ${answerOpening(lastWords(items, facts)?.text ?? '', 160)}.${atHand}`
  }
}

/**
 * What came of the last request. That nothing is open is said only of work that the turn delivered and committed, and if
 * no sentence of the answer may say otherwise: an explanation or a review has no such end.
 */
export function answered(items: readonly TranscriptItem[], facts: Facts): string {
  const { state, openWork } = facts
  if (state?.because !== 'answer') return ''
  const { hedge } = openWork
  const made = delivered(state, items, facts)
  if (hedge !== undefined && !made.includes(hedge))
    return said(`Answered. ${made} It adds: ${clip(hedge, 200)}`)
  const isDone = hedge === undefined && madeSince(state, facts) !== '' && uncommitted(facts) === ''
  return said(`${isDone ? 'Nothing is open.' : 'Answered.'} ${made}`)
}

/**
 * Whether the last check fails as things are: no file was edited since, or it failed in the last third of the session.
 * An earlier failure after which work went on counts as abandoned, and one in spite of which it was committed.
 */
export function failsLate(items: readonly TranscriptItem[], facts: Facts): boolean {
  const check = failingCheck(facts)
  if (check === undefined) return false
  const at = eventIndex(check.call)
  const isCommitted = facts.commands.some(
    ({ call, program, status }) => program === 'git commit' && status === 'ok' && eventIndex(call) > at,
  )
  const end = eventIndex(items.at(-1)?.event ?? 'e1')
  return !isCommitted && (check.stale !== true || at >= end * (2 / 3))
}

/** Results of the last turn: its commits or files, and the words of its answer. */
function delivered(state: StateFact, items: readonly TranscriptItem[], facts: Facts): string {
  const made = madeSince(state, facts)
  const answer = answerOpening(lastWords(items, facts)?.text ?? '', 160)
  // A run that ends with a call: it was submitted, or handed over.
  const end = items.find(({ event, type }) => type === 'tool_call' && state.evidence.includes(event))
  const called = end && `Last call: ${callLine(end, facts)}`
  return [made, answer && `Last answer: ${answer}`, called].filter(Boolean).join(' ')
}

/** The commits of the last turn, otherwise its files; empty if it changed nothing. */
function madeSince(state: StateFact, facts: Facts): string {
  const since = state.request === undefined ? -1 : eventIndex(state.request)
  const isNew = (event: string | undefined) => event !== undefined && eventIndex(event) > since
  const commits = facts.git.commits
    .filter(({ event }) => isNew(event))
    .slice(-2)
    .map(({ sha, subject }) => ['commit', sha === 'unknown' ? '' : sha.slice(0, 10), subject])
    .map((words) => clip(words.filter(Boolean).join(' '), 80))
  const files = facts.files
    .filter(({ lastEdit, status }) => status !== 'read' && status !== 'deleted' && isNew(lastEdit))
    .map(({ path }) => path)
  const made = commits.length > 0 ? commits.join(', ') : some(files)
  return made === '' ? '' : `Delivered: ${made}.`
}

/** What the user refused, or after what the agent was stopped. */
function stopped(state: StateFact, items: readonly TranscriptItem[], facts: Facts): string {
  const { words = '' } = state
  const call = items.findLast(({ agent, type }) => agent === 'main' && type === 'tool_call')
  const isUser = /\bby (?:the )?user\b/i.test(words)
  if (call?.status === 'denied') {
    const plan = facts.files.findLast(({ path, status }) => status !== 'read' && planFile.test(path))
    if (/plan/i.test(call.label))
      return `The plan was not approved: ${firstLine(call).replace(/^Plan: /, '')}${plan === undefined ? '' : ` (in ${plan.path})`}`
    return `${isUser ? 'The user refused' : 'Refused'}: ${callLine(call)}`
  }
  const after = `after: ${lastDone(state, items, facts)}`
  if (isUser) return `The user interrupted ${after}`
  return `Cut off${words === '' ? '' : ` (${words})`} ${after}`
}

const planFile = /\/plans\/[^/]+\.md$/

/**
 * What to continue: the task in progress, or what was asked for, with what the agent did and said last. Of a mere "yes"
 * or number, which may be done, also what was made since.
 */
function goOn(state: StateFact, items: readonly TranscriptItem[], facts: Facts, request: string): string {
  const task = clip(tasksOfTurn(facts).find(({ status }) => status === 'in_progress')?.text ?? '', 100)
  const isReply = / \(the agent (?:asked|offered): /.test(request)
  const asked = request === '' || task === '' || isReply ? '' : ` Asked for: ${asSentence(request)}`
  const since = isReply && task === '' ? sinceThen(state, facts) : ''
  const last = `${asSentence(lastDone(state, items, facts))}${aboutOpen(state)}`
  const goal = task || (since === '' ? request : clip(request, 120))
  return goal === ''
    ? `Continue after: ${last}`
    : `Continue: ${asSentence(goal)}${asked}${since} Last: ${last}`
}

/** What is to be done about the calls at the end without a result: one that only reads or checks can be made again. */
function aboutOpen({ state, because, words }: StateFact): string {
  if (state !== 'interrupted' || words === undefined) return ''
  if (because === 'working') return ` ${rerunHint}: ${asSentence(words)}`
  return because === 'open-call' ? ` ${checkHint}: ${asSentence(words)}` : ''
}

/** What was made since the last request, whether the check of it passed, and what is not committed. */
function sinceThen(state: StateFact, facts: Facts): string {
  const [made, left, check] = [madeSince(state, facts), uncommitted(facts), facts.validation]
  const isNew = check !== undefined && eventIndex(check.call) > eventIndex(state.request ?? 'e0')
  const passed = isNew && check.status === 'ok' && `${clip(check.command, 60)} passed.`
  const parts = [left === '' || made.includes(': commit ') ? made : '', passed, left]
  return made === '' ? '' : ` Since then: ${parts.filter(Boolean).join(' ')}`
}

function asSentence(text: string): string {
  return /[.?!…:。！？：]$/.test(text) ? text : `${text.replace(/;$/, '')}.`
}

/** The agent's last activity: its last call, after the words that announce it, or before words that no call follows. */
function lastDone(state: StateFact, items: readonly TranscriptItem[], facts: Facts): string {
  const since = state.request === undefined ? -1 : eventIndex(state.request)
  const own = items.filter(({ agent, event }) => agent === 'main' && eventIndex(event) > since)
  const said = own.findLast(
    ({ type, text }) => (type === 'assistant' || type === 'reasoning') && text.trim() !== '',
  )
  const call = own.findLast(
    ({ type, status }) => type === 'tool_call' && (status !== 'missing' || aboutOpen(state) === ''),
  )
  const words = said === undefined ? '' : asSentence(closing(said.text, 240))
  // What a pipe ends with says nothing of the check before it.
  const isFailing = failingCheck(facts)?.call === call?.event
  const run = call === undefined ? '' : callLine(isFailing ? { ...call, status: 'error' } : call, facts)
  if (said === undefined || (call && eventIndex(call.event) > eventIndex(said.event)))
    return words === '' ? run || 'nothing yet' : `${words} ${run}`
  const isNext = aboutOpen(state) === '' && (announces.test(words) || /[:：]$/.test(words))
  const told = words.replace(/[:：]$/, '.')
  return isNext
    ? `${asSentence(run || 'nothing yet')} Announced, not done: ${told}`
    : `${run && asSentence(run)} ${told}`.trim()
}

/** A call and how it ended; of one that failed with the reason, quoted, since a tool said it. */
function callLine(item: TranscriptItem, facts?: Facts): string {
  const { event, label, status = 'missing' } = item
  const printed = item.text.trim().split('\n').slice(1)
  const message =
    facts?.errors.find(({ call }) => call === event)?.message ?? printed.find(isDecisive) ?? printed[0]
  const reason = clip(message?.replace(/[.!?]\s[\s\S]*|["“”]/g, '') ?? '', 80)
  const why = status !== 'error' || reason === '' || orders.test(reason) ? '' : `: "${reason}"`
  const end = facts === undefined || status === 'missing' ? '' : ` (${status}${why})`
  const line = firstLine(item)
  return `${line.startsWith(`${label} `) ? '' : `${label} `}${line}${end}`.replace(/ +/g, ' ').trim()
}

/** What a tool says to do is nobody's next step. */
const orders = new RegExp(`https?:|${toRun}`, 'iu')

function firstLine({ text }: TranscriptItem): string {
  return clip(text.split('\n')[0] ?? '', 100).replace(/;$/, '')
}

/** The command that a yes of the user starts, or that an unanswered message names. */
function commandOf({ because, answer, request, words = '' }: StateFact, facts: Facts): string | undefined {
  const openIn = (source: string | undefined) =>
    facts.proposals
      .filter(({ event, command, rest }) => event === source && rest !== true && mayComeNext(command, facts))
      .map(({ command }) => command)
  if (because === 'question' || because === 'offer')
    return openIn(answer).find((command) => words.includes(command))
  if (because === 'trial') return openIn(answer)[0]
  const ofUser = because === 'no-answer' ? openIn(request) : []
  return ofUser.length === 1 ? ofUser[0] : undefined
}

/** On one line, without a code span that was cut, which would reach to the next one. */
function said(text: string): string {
  return cleanLine(text.split('`').length % 2 === 1 ? text : text.replace(/`(?=[^`]*$)/, ''))
}
