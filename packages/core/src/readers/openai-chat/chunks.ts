import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { Conversation } from '../messages/conversation.ts'
import { addChatUsage, readChatMessage } from './messages.ts'

export interface ChatChunks {
  readonly conversation: Conversation
  answer: OpenAnswer | undefined
}

interface OpenAnswer {
  readonly id: string | undefined
  readonly texts: string[]
  readonly reasoning: string[]
  readonly calls: Map<number, { id?: string; name: string; readonly pieces: string[] }>
}

export function isChunk(value: unknown): boolean {
  return asObject(value)?.object === 'chat.completion.chunk'
}

export function readChunk(chunks: ChatChunks, chunk: JsonObject): void {
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

export function flushChunks(chunks: ChatChunks): void {
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
