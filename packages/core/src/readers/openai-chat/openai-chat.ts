import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { Conversation } from '../messages/conversation.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { addChatUsage, isChatMessage, readChatMessage } from './messages.ts'

const shapes: MessageShapes = {
  isConversation,
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
      const object = asObject(value) ?? {}
      if (isChunk(value)) readChunk(chunks, object)
      else if (isAnswer(value)) readAnswer(conversation, object)
      else readMessage(conversation, object)
    },
    finish: () => flushChunks(chunks),
  }
}

function isAnswer(value: unknown): boolean {
  return Array.isArray(asObject(value)?.choices) && !isChunk(value)
}

/** The messages in a value, under the names that logs and benchmarks give them. */
function messagesOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.some(isChatMessage) || value.some(isAnswer) ? value : undefined
  const object = asObject(value)
  const request = asObject(object?.request) ?? asObject(object?.body)
  const lists = [object?.messages, object?.traj, request?.messages].map(asList)
  const list = lists.find((messages) => messages.some(isChatMessage))
  if (list !== undefined) return list
  const text = asText(object?.messages_display)
  return text === undefined ? undefined : displayedMessages(text)
}

function isConversation(value: unknown): boolean {
  return messagesOf(value) !== undefined
}

function readConversation(conversation: Conversation, value: unknown): string | undefined {
  const object = asObject(value) ?? {}
  const request = asObject(object.request) ?? asObject(object.body) ?? object
  conversation.out.meta({ title: asText(object.title) })
  conversation.model = asText(request.model)
  const messages = messagesOf(value) ?? []
  for (const message of messages) {
    // A program that keeps the whole answers keeps model and usage with them.
    if (isAnswer(message)) readAnswer(conversation, asObject(message) ?? {})
    else readMessage(conversation, message)
  }
  if (messages.length === 0) conversation.out.absorb('no messages')
  const response = asObject(object.response)
  const answer = asObject(response?.body) ?? response ?? object
  if (isAnswer(answer)) readAnswer(conversation, answer)
  else if (response !== undefined) conversation.other(response, 'response')
  return idOf(object)
}

function idOf(object: JsonObject): string | undefined {
  return [object.conversation_id, object.session_id, object.custom_id, object.id].map(asText).find(Boolean)
}

function readMessage(conversation: Conversation, value: unknown): void {
  const message = asObject(value)
  if (message === undefined || !readChatMessage(conversation, message))
    conversation.other(value, asText(message?.role) ?? 'no-message')
}

/** Reads an answer: the conversation continues with its first choice. */
function readAnswer(conversation: Conversation, answer: JsonObject): void {
  const model = conversation.model
  conversation.model = asText(answer.model) ?? model
  addChatUsage(conversation, answer)
  for (const [index, value] of asList(answer.choices).entries()) {
    const message = asObject(asObject(value)?.message)
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
  readonly texts: string[]
  readonly reasoning: string[]
  readonly calls: Map<number, { id?: string; name: string; readonly pieces: string[] }>
}

function isChunk(value: unknown): boolean {
  return asObject(value)?.object === 'chat.completion.chunk'
}

function readChunk(chunks: ChatChunks, chunk: JsonObject): void {
  const { conversation } = chunks
  const id = asText(chunk.id)
  if (chunks.answer !== undefined && chunks.answer.id !== id) flushChunks(chunks)
  conversation.model = asText(chunk.model) ?? conversation.model
  addChatUsage(conversation, chunk)
  const choice = asObject(asList(chunk.choices)[0])
  const delta = asObject(choice?.delta)
  if (delta !== undefined) {
    chunks.answer ??= { id, texts: [], reasoning: [], calls: new Map() }
    addDelta(chunks.answer, delta)
  }
  if (choice !== undefined && asText(choice.finish_reason) !== undefined) flushChunks(chunks)
  conversation.out.absorb('part of a streamed answer')
}

function addDelta(answer: OpenAnswer, delta: JsonObject): void {
  for (const text of [delta.content, delta.refusal]) if (typeof text === 'string') answer.texts.push(text)
  const thought = asText(delta.reasoning_content) ?? asText(delta.reasoning)
  if (thought !== undefined) answer.reasoning.push(thought)
  for (const [position, value] of asList(delta.tool_calls).entries()) {
    const piece = asObject(value)
    const tool = asObject(piece?.function)
    const index = asNumber(piece?.index) ?? position
    const call = answer.calls.get(index) ?? { name: '', pieces: [] }
    answer.calls.set(index, call)
    const id = asText(piece?.id)
    if (id !== undefined) call.id = id
    call.name += asText(tool?.name) ?? ''
    if (typeof tool?.arguments === 'string') call.pieces.push(tool.arguments)
  }
}

function flushChunks(chunks: ChatChunks): void {
  const { answer, conversation } = chunks
  if (answer === undefined) return
  chunks.answer = undefined
  const calls = [...answer.calls.values()].map(({ id, name, pieces }) => ({
    id,
    function: { name: name === '' ? 'unknown' : name, arguments: pieces.join('') },
  }))
  readChatMessage(conversation, {
    role: 'assistant',
    content: answer.texts.join(''),
    reasoning_content: answer.reasoning.join(''),
    tool_calls: calls,
  })
}
