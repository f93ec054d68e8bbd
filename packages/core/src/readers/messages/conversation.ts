import type { ContextEvent } from '../../session/event.ts'
import { parseJson } from '../../session/json-values.ts'
import { cutFeedback } from '../claude-code/user.ts'
import { elementText } from '../codex/user-text.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createWriter, type Outcome, type Writer, type WrittenCall } from '../shared/writer.ts'
import { userPieces } from './user-text.ts'

export type Conversation = ReturnType<typeof createConversation>

/** The state before the first message; `shared` is the parent's conversation if the agent is a child. */
export function createConversation(out: SessionWriter, agent = 'main', shared?: Writer) {
  const writer = createWriter(out, shared?.callIds)
  // Answers whose usage was counted without an id of their own.
  return Object.assign(writer, { agent, copied: shared?.copied ?? false, answers: 0 })
}

/** Writes a program's standing text, once. */
export function writeStanding(
  conversation: Writer,
  origin: ContextEvent['origin'],
  text: string,
  name?: string,
): void {
  const isNew = conversation.contextOnce(origin, name, text)
  if (isNew && origin === 'system')
    reportFolder(conversation, /^\W{0,4}(?:Primary w|W)orking directory: (\/\S+)$/m.exec(text)?.[1])
}

/**
 * Writes texts under the user's name, separated by author: what the user typed becomes one event. For a child, the text
 * under the user's name is the task that its parent gave.
 */
export function writeUser(conversation: Writer, texts: readonly string[], images = 0): void {
  const pieces = texts.flatMap(userPieces)
  const typed = pieces.filter((piece) => piece.type === 'user' && piece.origin === 'typed')
  for (const piece of pieces) {
    if (piece.type !== 'user') {
      if (piece.type === 'context' && piece.name === 'environment_context')
        reportFolder(conversation, elementText(piece.text, 'cwd'))
      conversation.write(piece)
    } else if (piece.origin !== 'typed') conversation.ask(piece.text, { origin: piece.origin })
    else if (piece === typed.at(-1)) conversation.ask(typed.map(({ text }) => text).join('\n\n'), { images })
  }
  if (typed.length === 0) conversation.ask('', { images })
}

function reportFolder({ agent, out }: Writer, cwd: string | undefined): void {
  if (cwd !== undefined && cwd !== '' && agent === 'main') out.meta({ cwd })
}

/** Writes a result; a refusing user's words in it become an event of their own. */
export function writeResult(
  conversation: Writer,
  call: WrittenCall | undefined,
  id: string | undefined,
  outcome: Outcome,
): void {
  const { text, feedback } = cutFeedback(outcome.text)
  conversation.result(call, { ...outcome, text }, id)
  if (feedback !== undefined) conversation.ask(feedback)
}

/** Arguments of a call: parsed if they are JSON in a string, or the string itself if that is broken. */
export function callArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  return value.trim() === '' ? null : (parseJson(value) ?? value)
}
