import type { ContextEvent, EventId, SessionEvent, UserEvent } from '../../session/event.ts'
import { closingOf } from './asks.ts'
import { isCue } from './turn-cues.ts'

/** What asks for work: words of the user, or the task that another agent gave. */
export type RequestEvent = UserEvent | ContextEvent

/** The last turn of the main agent that is about work, without farewells and local commands after it. */
export interface WorkTurn {
  /** Absent in a log that begins with the agent. */
  readonly request?: RequestEvent
  /** What the main agent did since, and what its harness said. */
  readonly events: readonly SessionEvent[]
  /** The user left: `/exit` and its kin. */
  readonly left?: EventId
  /** The user said no to what the turn had asked, and nothing else. */
  readonly declined?: EventId
}

interface Turn {
  readonly request?: RequestEvent
  readonly events: SessionEvent[]
}

/** `undefined` for a session in which nobody worked and nobody asked for anything. */
export function lastWorkTurn(events: readonly SessionEvent[]): WorkTurn | undefined {
  const turns = turnsOf(events)
  let left: EventId | undefined
  let declined: EventId | undefined
  const dropped: Turn[] = []
  for (let turn = turns.pop(); turn !== undefined; turn = turns.pop()) {
    const { request } = turn
    const before = turns.at(-1)
    if (request === undefined) {
      if (turn.events.some(isAct)) return { ...turn, ...marks(left, declined) }
    } else if (isExit(request.text)) left = request.id
    else if (isLocalCommand(turn) || isReadAlready(turn, turns)) {
      // Says nothing about the work.
    } else if (before !== undefined && isIdleTalk(turn, before)) {
      if (declinesAll(request.text)) declined = request.id
    } else return { ...turn, ...marks(left, declined) }
    dropped.push(turn)
  }
  return dropped.findLast(({ events: done }) => done.some(isAct))
}

/** The pieces of a message that ask for something: greetings, thanks and farewells taken out. Empty if there is no other. */
export function askingPart(text: string): string {
  if (text.length > maxTalkLength * 10) return text
  return text
    .split(/(?<=[.!?\n])\s+|(?<=[。！？])/)
    .filter((sentence) => !piecesOf(sentence).every(isTalk))
    .join(' ')
    .trim()
}

/** True for the words and acts of an agent. */
export function isAct(event: SessionEvent): boolean {
  return event.type === 'tool_call' || (event.type === 'assistant' && event.text.trim() !== '')
}

function marks(
  left: EventId | undefined,
  declined: EventId | undefined,
): Pick<WorkTurn, 'left' | 'declined'> {
  return { ...(left === undefined ? {} : { left }), ...(declined === undefined ? {} : { declined }) }
}

function turnsOf(events: readonly SessionEvent[]): Turn[] {
  const turns: Turn[] = [{ events: [] }]
  for (const event of events) {
    if (event.agent !== 'main' || event.copied === true || event.inContext === false) continue
    if (event.type === 'user' || (event.type === 'context' && event.origin === 'agent'))
      turns.push({ request: event, events: [] })
    else turns.at(-1)?.events.push(event)
  }
  return turns
}

/** A slash command that the harness answered, not the agent. */
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

/** A message that was queued before the agent's last words, which stand above it. */
function isReadAlready({ request, events }: Turn, before: readonly Turn[]): boolean {
  if (request?.type !== 'user' || request.origin !== 'queued' || request.time === undefined) return false
  if (events.some(isAct)) return false
  const last = before.at(-1)?.events.findLast(isAct)?.time
  return last !== undefined && request.time < last
}

/** Thanks, greetings and farewells, with no more than words for an answer; agreement too if nothing was asked. */
function isIdleTalk({ request, events }: Turn, before: Turn): boolean {
  const pieces = piecesOf(request?.text ?? '')
  if (request?.type !== 'user' || request.text.trim() === '' || request.text.length > maxTalkLength)
    return false
  if (!pieces.every(isTalk)) return false
  if (events.some(({ type }) => type === 'tool_call')) return false
  if (pieces.every((piece) => isCue(piece, 'farewell') || isCue(piece, 'declined'))) return true
  const answer = before.events.findLast(({ type }) => type === 'assistant')
  return answer?.type === 'assistant' ? closingOf(answer.text).asks.length === 0 : false
}

function declinesAll(text: string): boolean {
  return piecesOf(text).some((piece) => isCue(piece, 'declined'))
}

function isTalk(piece: string): boolean {
  return isCue(piece, 'farewell') || isCue(piece, 'declined') || isCue(piece, 'agreed')
}

const maxTalkLength = 300

/** Clauses without punctuation, pictures and marks such as `###STOP###`. */
function piecesOf(text: string): string[] {
  return text
    .slice(0, maxTalkLength * 2)
    .replace(/#{2,}\s*\w{0,20}\s*#{2,}|\p{Extended_Pictographic}|[\ufe0f()*_~"“”]|:\)|;\)/gu, ' ')
    .split(/[.!?。！？,，、;；:：\n—–]+/)
    .map((piece) => piece.trim().replace(/\s+/g, ' '))
    .filter((piece) => piece !== '')
}

function isExit(text: string): boolean {
  return /^\s*[/:]?(?:exit|quit|bye|logout|q|wq)!?\s*$/i.test(text)
}
