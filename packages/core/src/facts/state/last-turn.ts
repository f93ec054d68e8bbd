import { singleSpaced } from '../../session/clean-text.ts'
import type { ContextEvent, EventId, SessionEvent, UserEvent } from '../../session/event.ts'
import { closingOf, turnCues } from './asks.ts'
import { isExit, isHarnessCommand } from './harness-commands.ts'

/** An event that requests work: the user's words, or the task from another agent. */
type RequestEvent = UserEvent | ContextEvent

/** The last turn of the main agent that is about work, without farewells and local commands after it. */
export interface WorkTurn {
  /** Absent in a log that begins with the agent. */
  readonly request?: RequestEvent
  /** Events of the main agent since, and messages of its harness. */
  readonly events: readonly SessionEvent[]
  /** The user left: `/exit` and the like. */
  readonly left?: EventId
  /** The user only said no to what the turn had asked. */
  readonly declined?: EventId
}

interface Turn {
  readonly request?: RequestEvent
  readonly events: readonly SessionEvent[]
}

/** Finds the last turn about work; `undefined` for a session without work and requests. */
export function lastWorkTurn(events: readonly SessionEvent[]): WorkTurn | undefined {
  let left: EventId | undefined
  let declined: EventId | undefined
  let dropped: Turn | undefined
  const turns = turnsFromLast(events)
  let next = turns.next()
  while (!next.done) {
    const turn = next.value
    next = turns.next()
    const before = next.done ? undefined : next.value
    const { request } = turn
    if (request === undefined) {
      if (turn.events.some(isAct)) return { ...turn, ...marks(left, declined) }
    } else if (isExit(request.text)) left = request.id
    else if (isLocalCommand(turn) || isReadAlready(turn, before)) {
      // Irrelevant to the work.
    } else if (before !== undefined && isIdleTalk(turn, before)) {
      if (declinesAll(request.text)) declined = request.id
    } else return { ...turn, ...marks(left, declined) }
    if (turn.events.some(isAct)) dropped = turn
  }
  return dropped
}

/**
 * Returns the pieces of a message that ask for something, without greetings, thanks and farewells; empty if there are
 * none.
 */
export function askingPart(text: string): string {
  if (text.length > maxTalkLength * 10) return text
  return text
    .split(/(?<=[.!?\n])\s+|(?<=[。！？])/)
    .filter((sentence) => !piecesOf(sentence).every(isTalk))
    .join(' ')
    .trim()
}

/**
 * Whether a message of the user asks the agent for nothing: thanks, a greeting, mere agreement, a command with which
 * the user leaves, or one that the harness itself answers.
 */
export function asksNothing(text: string): boolean {
  if (text.length > maxTalkLength) return false
  if (isExit(text) || isHarnessCommand(text)) return true
  const pieces = piecesOf(text)
  return pieces.length > 0 && pieces.every(isTalk)
}

/** Whether an event is a message or an action of an agent. */
export function isAct(event: SessionEvent): boolean {
  return event.type === 'tool_call' || (event.type === 'assistant' && event.text.trim() !== '')
}

function marks(
  left: EventId | undefined,
  declined: EventId | undefined,
): Pick<WorkTurn, 'left' | 'declined'> {
  return { ...(left === undefined ? {} : { left }), ...(declined === undefined ? {} : { declined }) }
}

/** Yields turns from the last to the first, because only a few of a million turns are examined. */
function* turnsFromLast(events: readonly SessionEvent[]): Generator<Turn, undefined> {
  let done: SessionEvent[] = []
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index] as SessionEvent
    if (event.agent !== 'main' || event.copied === true || event.inContext === false) continue
    // A command of the harness while the agent works is no new request.
    const isAside = event.type === 'user' && isHarnessCommand(event.text) && done.some(isAct)
    if (!isAside && (event.type === 'user' || (event.type === 'context' && event.origin === 'agent'))) {
      yield { request: event, events: done.reverse() }
      done = []
    } else done.push(event)
  }
  yield { events: done.reverse() }
}

/** Whether a turn is a slash command that the harness answered, not the agent. */
function isLocalCommand({ request, events }: Turn): boolean {
  if (request?.type !== 'user' || !(request.origin === 'command' || /^[/!]\w/.test(request.text)))
    return false
  return (
    !events.some(isAct) &&
    events.some(
      (event) => event.type === 'compaction' || (event.type === 'context' && event.origin === 'output'),
    )
  )
}

/** Whether a message was queued before the agent's last words, which precede it in the log. */
function isReadAlready({ request, events }: Turn, before: Turn | undefined): boolean {
  if (request?.type !== 'user' || request.origin !== 'queued' || request.time === undefined) return false
  if (events.some(isAct)) return false
  const last = before?.events.findLast(isAct)?.time
  return last !== undefined && request.time < last
}

/** Whether a turn is thanks, greetings and farewells, answered only with words; agreement too if nothing was asked. */
function isIdleTalk({ request, events }: Turn, before: Turn): boolean {
  const pieces = piecesOf(request?.text ?? '')
  if (request?.type !== 'user' || request.text.trim() === '' || request.text.length > maxTalkLength)
    return false
  if (!pieces.every(isTalk)) return false
  if (events.some(({ type }) => type === 'tool_call')) return false
  if (pieces.every((piece) => turnCues.is('farewell', piece) || turnCues.is('declined', piece))) return true
  const answer = before.events.findLast(({ type }) => type === 'assistant')
  return answer?.type === 'assistant' ? closingOf(answer.text).asks.length === 0 : false
}

function declinesAll(text: string): boolean {
  return piecesOf(text).some((piece) => turnCues.is('declined', piece))
}

function isTalk(piece: string): boolean {
  return turnCues.is('farewell', piece) || turnCues.is('declined', piece) || turnCues.is('agreed', piece)
}

const maxTalkLength = 300

/** Splits a text into clauses without punctuation, pictures and marks such as `###STOP###`. */
function piecesOf(text: string): string[] {
  return text
    .slice(0, maxTalkLength * 2)
    .replace(/#{2,}\s*\w{0,20}\s*#{2,}|\p{Extended_Pictographic}|[\ufe0f()*_~"“”]|:\)|;\)/gu, ' ')
    .split(/[.!?。！？,，、;；:：\n—–]+/)
    .map(singleSpaced)
    .filter((piece) => piece !== '')
}
