import {
  asList,
  asNumber,
  asObject,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  textAt,
  textsIn,
} from '../../session/json-values.ts'
import type { Conversation } from '../messages/conversation.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { addChatUsage, isChatMessage, readChatMessage } from './messages.ts'

const shapes: MessageShapes = {
  isConversation: (value) => messagesOf(value) !== undefined,
  isLine: (value) => isChatMessage(value) || isAnswer(value) || isChunk(value),
}

/**
 * Reads messages of OpenAI's Chat Completions API and of the many servers that implement it: a list of messages and
 * answers, a request, an answer, lines of any of these, and the chunks of a recorded stream.
 * https://platform.openai.com/docs/api-reference/chat
 */
export const openaiChatReader = messageReader({ name: 'openai-chat', shapes, isStreamed: isChunk, createLog })

function createLog(conversation: Conversation): MessageLog {
  const chunks: ChatChunks = { conversation, answer: undefined }
  return {
    ...shapes,
    readConversation: (value) => readConversation(conversation, value),
    readLine(value) {
      if (isChunk(value)) readChunk(chunks, fieldsOf(value))
      else if (isAnswer(value)) readAnswer(conversation, fieldsOf(value))
      else readMessage(conversation, value)
    },
    finish: () => flushChunks(chunks),
  }
}

function isAnswer(value: unknown): boolean {
  return Array.isArray(at(value, 'choices')) && !isChunk(value)
}

function messagesOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.some(isChatMessage) || value.some(isAnswer) ? value : undefined
  const { body, messages, messages_display, request, traj } = fieldsOf(value)
  const lists = [messages, traj, at(asObject(request) ?? body, 'messages')].map(asList)
  const list = lists.find((each) => each.some(isChatMessage))
  const text = asText(messages_display)
  return list ?? (text === undefined ? undefined : displayedMessages(text))
}

function readConversation(conversation: Conversation, value: unknown): string | undefined {
  const object = fieldsOf(value)
  const { body, conversation_id, custom_id, id, request, response, session_id, title } = object
  conversation.out.meta({ title: asText(title) })
  conversation.model = textAt(asObject(request) ?? asObject(body) ?? object, 'model')
  const messages = messagesOf(value) ?? []
  for (const message of messages) {
    // A program that keeps the whole answers keeps model and usage with them.
    if (isAnswer(message)) readAnswer(conversation, fieldsOf(message))
    else readMessage(conversation, message)
  }
  if (messages.length === 0) conversation.out.absorb('no messages')
  const answer = asObject(at(response, 'body')) ?? asObject(response) ?? object
  if (isAnswer(answer)) readAnswer(conversation, answer)
  else if (asObject(response) !== undefined) conversation.other(response, 'response')
  return textsIn([conversation_id, session_id, custom_id, id])[0]
}

function readMessage(conversation: Conversation, value: unknown): void {
  if (!readChatMessage(conversation, fieldsOf(value)))
    conversation.other(value, textAt(value, 'role') ?? 'no-message')
}

/** Reads an answer: the conversation continues with its first choice. */
function readAnswer(conversation: Conversation, answer: JsonObject): void {
  const model = conversation.model
  conversation.model = asText(answer.model) ?? model
  addChatUsage(conversation, answer)
  for (const [index, value] of asList(answer.choices).entries()) {
    const message = asObject(at(value, 'message'))
    if (index > 0 || message === undefined) conversation.other(value, 'choice')
    else readMessage(conversation, { created: answer.created, ...message, role: message.role ?? 'assistant' })
  }
  conversation.model = model
  conversation.out.absorb('answer without a choice')
}

/**
 * Messages from a conversation that was printed for a prompt, `role: text` after `role: text`. Calls were printed as
 * `assistant: None`, without tool and arguments.
 */
function displayedMessages(text: string): Readonly<Record<string, unknown>>[] {
  const starts = [...text.matchAll(/^(system|user|assistant|tool): /gm)]
  return starts.map(({ index, 0: mark, 1: role = '' }, number) => {
    const end = starts[number + 1]?.index ?? text.length
    const content = text.slice(index + mark.length, end).trimEnd()
    if (role !== 'assistant') return { role, content }
    const said = content === 'None' ? null : content
    const calls = said === null || starts[number + 1]?.[1] === 'tool'
    return { role, content: said, ...(calls && { tool_calls: [{ function: { name: 'tool' } }] }) }
  })
}

interface ChatChunks {
  readonly conversation: Conversation
  answer: OpenAnswer | undefined
}

interface OpenAnswer {
  readonly id: string | undefined
  text: string
  reasoning: string
  readonly calls: Map<number, { id: string | undefined; name: string; arguments: string }>
}

function isChunk(value: unknown): boolean {
  return at(value, 'object') === 'chat.completion.chunk'
}

function readChunk(chunks: ChatChunks, chunk: JsonObject): void {
  const { conversation } = chunks
  const id = asText(chunk.id)
  if (chunks.answer !== undefined && chunks.answer.id !== id) flushChunks(chunks)
  conversation.model = asText(chunk.model) ?? conversation.model
  addChatUsage(conversation, chunk)
  const choice = fieldsOf(asList(chunk.choices)[0])
  if (asObject(choice.delta) !== undefined) {
    chunks.answer ??= { id, text: '', reasoning: '', calls: new Map() }
    addDelta(chunks.answer, fieldsOf(choice.delta))
  }
  if (asText(choice.finish_reason) !== undefined) flushChunks(chunks)
  conversation.out.absorb('part of a streamed answer')
}

function addDelta(answer: OpenAnswer, delta: JsonObject): void {
  answer.text += textsIn([delta.content, delta.refusal]).join('')
  answer.reasoning += asText(delta.reasoning_content) ?? asText(delta.reasoning) ?? ''
  for (const [position, piece] of asList(delta.tool_calls).entries()) {
    const index = asNumber(at(piece, 'index')) ?? position
    const call = answer.calls.get(index) ?? { id: undefined, name: '', arguments: '' }
    answer.calls.set(index, call)
    call.id = textAt(piece, 'id') ?? call.id
    call.name += textAt(piece, 'function', 'name') ?? ''
    call.arguments += textAt(piece, 'function', 'arguments') ?? ''
  }
}

function flushChunks(chunks: ChatChunks): void {
  const { answer, conversation } = chunks
  if (answer === undefined) return
  chunks.answer = undefined
  readChatMessage(conversation, {
    role: 'assistant',
    content: answer.text,
    reasoning_content: answer.reasoning,
    tool_calls: [...answer.calls.values()].map(({ id, name, ...call }) => ({
      id,
      function: { ...call, name: name || 'unknown' },
    })),
  })
}
