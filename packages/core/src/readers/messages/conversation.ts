import type { ContextEvent } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { cutFeedback } from '../claude-code/user.ts'
import { elementText } from '../codex/user-text.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { createWriter, type Outcome, type Writer, type WrittenCall } from '../shared/writer.ts'
import { outcomeOf } from './outcome.ts'
import { userPieces } from './user-text.ts'

export type Conversation = ReturnType<typeof createConversation>

/** The state before the first message; `shared` is the parent's conversation if the agent is a child. */
export function createConversation(out: SessionWriter, agent = 'main', shared?: Writer) {
  const writer = createWriter(out, shared?.callIds)
  // Answers whose usage was counted without an id of their own.
  return Object.assign(writer, { agent, copied: shared?.copied ?? false, answers: 0 })
}

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

/** Writes the content of a message that the model was given, by its role; parts of other kinds are kept. */
export function writeGiven(conversation: Writer, role: 'system' | 'user', content: unknown): void {
  const { texts, images, others } = contentParts(content)
  if (role === 'system') writeStanding(conversation, 'system', texts.join('\n'))
  else if (texts.length > 0 || images > 0) writeUser(conversation, texts, images)
  keepOthers(conversation, others)
  conversation.out.absorb('empty message')
}

export function keepOthers(conversation: Writer, others: readonly unknown[]): void {
  for (const other of others) conversation.other(other, json.text(other, 'type') ?? 'message-part')
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

/** Writes the result of the open call with an id, or else with a name. `failed` is the format's own statement. */
export function writeOutput(
  conversation: Writer,
  given: { readonly id: unknown; readonly name?: unknown },
  output: unknown,
  failed?: boolean,
): void {
  const id = json.text(given.id)
  const { text, images } = outputText(output)
  const call = conversation.take(id, json.text(given.name))
  writeResult(conversation, call, id, { text, ...outcomeOf(text, failed), images })
}

export function countAnswer(
  conversation: Conversation,
  id: unknown,
  usage: Parameters<Writer['usage']>[1],
  model?: unknown,
): void {
  conversation.usage(json.text(id) ?? `answer-${++conversation.answers}`, usage, json.text(model))
}

/** Arguments of a call: parsed if they are JSON in a string, or the string itself if that is broken. */
export function callArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? null
  return value.trim() === '' ? null : (json.parse(value) ?? value)
}
