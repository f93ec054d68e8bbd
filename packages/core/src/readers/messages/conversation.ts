import { appendTo } from '../../session/append-to.ts'
import type { ContextEvent, EventDraft, SessionEvent, ToolKind, UserEvent } from '../../session/event.ts'
import { parseJson } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { cutFeedback } from '../claude-code/user.ts'
import { elementText } from '../codex/user-text.ts'
import type { EventPlace, SessionWriter } from '../reader/reader.ts'
import type { Outcome } from '../shared/outcome.ts'
import { userPieces } from './user-text.ts'

/** A tool call that was already written. */
export interface WrittenCall {
  readonly callId: string
  readonly name: string
  readonly input: unknown
}

/** The state of reading one agent's messages. The mutable fields describe the current message. */
export interface Conversation {
  readonly out: SessionWriter
  /** Key of the agent that speaks. */
  readonly agent: string
  time: string | undefined
  model: string | undefined
  copied: boolean
  /** Taken out of the conversation by a rewind. */
  dropped: boolean
  at: EventPlace | undefined
  /** Calls without result, oldest first. */
  readonly open: Set<WrittenCall>
  /** Calls by their id in the log, including some that are no longer open. */
  readonly byId: Map<string, WrittenCall[]>
  /** Ids of calls, and how often each was requested again. */
  readonly ids: Map<string, number>
  /** Answers whose usage was counted without an id of their own. */
  answers: number
  /** Standing texts that were already written, such as a system prompt that each request repeats. */
  readonly standing: Set<string>
}

/** The state before the first message; `shared` is the parent's conversation if the agent is a child. */
export function createConversation(out: SessionWriter, agent = 'main', shared?: Conversation): Conversation {
  return {
    out,
    agent,
    time: undefined,
    model: undefined,
    copied: shared?.copied ?? false,
    dropped: false,
    at: undefined,
    open: new Set(),
    byId: new Map(),
    ids: shared?.ids ?? new Map(),
    answers: 0,
    standing: new Set(),
  }
}

/** Writes an event with agent, time and copy mark of the current message. */
export function write(conversation: Conversation, draft: EventDraft): SessionEvent {
  const { agent, time, copied, dropped } = conversation
  return conversation.out.event(
    {
      ...draft,
      agent,
      ...(time !== undefined && { time }),
      ...(copied && { copied: true as const }),
      ...(dropped && { inContext: false as const }),
    },
    conversation.at,
  )
}

/** Writes text of the model; returns `false` if there is none. */
export function writeAnswer(conversation: Conversation, text: string): boolean {
  if (text.trim() === '') return false
  const { model } = conversation
  write(conversation, { type: 'assistant', text, ...(model !== undefined && { model }) })
  return true
}

/** Writes readable reasoning; returns `false` if there is none. */
export function writeReasoning(conversation: Conversation, text: string): boolean {
  if (text.trim() === '') return false
  write(conversation, { type: 'reasoning', text })
  return true
}

/** Writes a program's standing text, once. */
export function writeStanding(
  conversation: Conversation,
  origin: ContextEvent['origin'],
  text: string,
  name?: string,
): void {
  const key = text.trim()
  if (key === '' || conversation.standing.has(key)) {
    conversation.out.absorb(key === '' ? 'empty message' : 'repeated context')
    return
  }
  conversation.standing.add(key)
  if (origin === 'system')
    reportFolder(conversation, /^\W{0,4}(?:Primary w|W)orking directory: (\/\S+)$/m.exec(text)?.[1])
  write(conversation, { type: 'context', origin, ...(name !== undefined && { name }), text })
}

/**
 * Writes texts under the user's name, separated by author: what the user typed becomes one event. For a child, the text
 * under the user's name is the task that its parent gave.
 */
export function writeUser(conversation: Conversation, texts: readonly string[], images = 0): void {
  const pieces = texts.flatMap(userPieces)
  const typed = pieces.flatMap((piece) =>
    piece.type === 'user' && piece.origin === 'typed' ? [piece.text] : [],
  )
  const last = pieces.findLastIndex((piece) => piece.type === 'user' && piece.origin === 'typed')
  for (const [index, piece] of pieces.entries()) {
    if (piece.type !== 'user') {
      if (piece.type === 'context' && piece.name === 'environment_context')
        reportFolder(conversation, elementText(piece.text, 'cwd'))
      write(conversation, piece)
    } else if (piece.origin !== 'typed') writePrompt(conversation, piece.origin, piece.text, 0)
    else if (index === last) writePrompt(conversation, 'typed', typed.join('\n\n'), images)
  }
  if (last === -1 && images > 0) writePrompt(conversation, 'typed', '', images)
  else if (pieces.length === 0) conversation.out.absorb('empty message')
}

function reportFolder(conversation: Conversation, cwd: string | undefined): void {
  if (cwd !== undefined && cwd !== '' && conversation.agent === 'main') conversation.out.meta({ cwd })
}

function writePrompt(
  conversation: Conversation,
  origin: UserEvent['origin'],
  text: string,
  images: number,
): void {
  const said = { text, ...(images > 0 && { images }) }
  if (conversation.agent === 'main') write(conversation, { type: 'user', origin, ...said })
  else write(conversation, { type: 'context', origin: 'agent', name: 'task', ...said })
}

/** Writes a call. Formats without ids, and logs with the same id for many calls, get numbered ids. */
export function writeCall(
  conversation: Conversation,
  rawId: string | undefined,
  name: string,
  input: unknown,
  kind: ToolKind = toolKindOf(name),
): WrittenCall {
  const callId = uniqueId(conversation.ids, rawId)
  const call = { callId, name, input }
  conversation.open.add(call)
  if (rawId !== undefined) {
    appendTo(conversation.byId, rawId, call)
  }
  const { model } = conversation
  write(conversation, { type: 'tool_call', callId, name, kind, input, ...(model !== undefined && { model }) })
  return call
}

function uniqueId(ids: Map<string, number>, rawId: string | undefined): string {
  const wanted = rawId ?? `call-${ids.size + 1}`
  let times = ids.get(wanted) ?? 1
  let id = wanted
  for (; ids.has(id); id = `${wanted}#${times}`) times++
  ids.set(wanted, times)
  if (id !== wanted) ids.set(id, 1)
  return id
}

/** Takes the oldest open call with an id; if the result has no id, with a name, or otherwise the oldest of all. */
export function takeCall(
  conversation: Conversation,
  rawId: string | undefined,
  name?: string,
): WrittenCall | undefined {
  const call = rawId === undefined ? oldestCall(conversation, name) : oldestOfId(conversation, rawId)
  if (call !== undefined) conversation.open.delete(call)
  return call
}

function oldestOfId({ open, byId }: Conversation, rawId: string): WrittenCall | undefined {
  const calls = byId.get(rawId)
  for (let call = calls?.shift(); call !== undefined; call = calls?.shift()) if (open.has(call)) return call
  return undefined
}

function oldestCall({ open }: Conversation, name: string | undefined): WrittenCall | undefined {
  for (const call of open) if (name === undefined || call.name === name) return call
  return undefined
}

/** Stops waiting for results of a call. */
export function closeCall(conversation: Conversation, call: WrittenCall): void {
  conversation.open.delete(call)
}

/** Writes a result; a refusing user's words in it become an event of their own. */
export function writeResult(
  conversation: Conversation,
  call: WrittenCall | undefined,
  rawId: string | undefined,
  outcome: Outcome,
): void {
  const { text, feedback } = cutFeedback(outcome.text)
  writeOutcome(conversation, call, rawId, { ...outcome, text })
  if (feedback !== undefined) writePrompt(conversation, 'typed', feedback, 0)
}

/** Writes a result unchanged, with the note `result-without-call` if no call waits for it. */
export function writeOutcome(
  conversation: Conversation,
  call: WrittenCall | undefined,
  rawId: string | undefined,
  outcome: Outcome,
): void {
  if (call === undefined)
    conversation.out.note('result-without-call', 'a tool output without a call before it')
  const callId = call?.callId ?? uniqueId(conversation.ids, rawId ?? 'no-call')
  write(conversation, { type: 'tool_result', callId, ...outcome })
}

/** Writes something of a kind that the reader does not know, unchanged. */
export function writeOther(conversation: Conversation, name: string, raw: unknown): void {
  write(conversation, { type: 'other', name, raw })
}

/** Arguments of a call: parsed if they are JSON in a string, or the string itself if that is broken. */
export function callArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  return value.trim() === '' ? null : (parseJson(value) ?? value)
}
