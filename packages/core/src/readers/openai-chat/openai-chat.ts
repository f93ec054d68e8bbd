import * as json from '../../session/json.ts'
import { messageReader } from '../messages/message-reader.ts'
import { usageIn } from '../shared/usage.ts'
import type { Writer } from '../shared/writer.ts'
import { isChatMessage, readChatMessage } from './messages.ts'

/**
 * Reads messages of OpenAI's Chat Completions API and of the many servers that implement it: a list of messages and
 * answers, a request, an answer, lines of any of these, and the chunks of a recorded stream.
 * https://platform.openai.com/docs/api-reference/chat
 */
export const openaiChatReader = messageReader({
  name: 'openai-chat',
  places: ['messages', 'traj', 'request.messages', 'body.messages'],
  // A program that keeps complete answers keeps model and usage with them.
  isItem: (value) => isChatMessage(value) || isAnswer(value),
  isAnswer,
  isStreamed: isChunk,
  listOf: displayedMessages,
  createLog(writer) {
    const chunks = Object.assign(writer, { streamed: undefined as OpenAnswer | undefined })
    return {
      begin(holder) {
        writer.model = json.text(holder.model)
      },
      read(value) {
        if (isChunk(value)) readChunk(chunks, json.fields(value))
        else if (isAnswer(value)) readAnswer(writer, json.fields(value))
        else readMessage(writer, value)
      },
      end(conversation) {
        if (isAnswer(conversation)) readAnswer(writer, conversation)
      },
      finish: () => flushChunks(chunks),
    }
  },
})

function isAnswer(value: unknown): boolean {
  return Array.isArray(json.at(value, 'choices')) && !isChunk(value)
}

function readMessage(writer: Writer, value: unknown): void {
  if (!readChatMessage(writer, json.fields(value)))
    writer.other(value, json.text(value, 'role') ?? 'no-message')
}

function readAnswer(writer: Writer, answer: json.Fields): void {
  const model = writer.model
  writer.model = json.text(answer.model) ?? model
  writer.answer(answer.id, usageIn(answer.usage, 'chat'), answer.model)
  for (const [index, value] of json.list(answer.choices).entries()) {
    const message = json.object(value, 'message')
    if (index > 0 || message === undefined) writer.other(value, 'choice')
    else readMessage(writer, { created: answer.created, ...message, role: message.role ?? 'assistant' })
  }
  writer.model = model
  writer.out.absorb('answer without a choice')
}

/** A conversation printed for a prompt as `role: text`, with calls as `assistant: None`. */
function displayedMessages(value: unknown): Readonly<Record<string, unknown>>[] | undefined {
  const text = json.text(value, 'messages_display')
  if (text === undefined || Array.isArray(json.at(value, 'messages'))) return undefined
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

type ChatChunks = Writer & { streamed: OpenAnswer | undefined }

interface OpenAnswer {
  readonly id: string | undefined
  text: string
  reasoning: string
  readonly calls: Map<number, { id: string | undefined; name: string; arguments: string }>
}

function isChunk(value: unknown): boolean {
  return json.at(value, 'object') === 'chat.completion.chunk'
}

function readChunk(chunks: ChatChunks, chunk: json.Fields): void {
  const id = json.text(chunk.id)
  if (chunks.streamed !== undefined && chunks.streamed.id !== id) flushChunks(chunks)
  chunks.model = json.text(chunk.model) ?? chunks.model
  chunks.answer(chunk.id, usageIn(chunk.usage, 'chat'), chunk.model)
  const choice = json.fields(json.list(chunk.choices)[0])
  if (json.object(choice.delta) !== undefined) {
    chunks.streamed ??= { id, text: '', reasoning: '', calls: new Map() }
    addDelta(chunks.streamed, json.fields(choice.delta))
  }
  if (json.text(choice.finish_reason) !== undefined) flushChunks(chunks)
  chunks.out.absorb('part of a streamed answer')
}

function addDelta(answer: OpenAnswer, delta: json.Fields): void {
  answer.text += json.texts([delta.content, delta.refusal]).join('')
  answer.reasoning += json.text(delta.reasoning_content) ?? json.text(delta.reasoning) ?? ''
  for (const [position, piece] of json.list(delta.tool_calls).entries()) {
    const index = json.number(piece, 'index') ?? position
    const call = answer.calls.get(index) ?? { id: undefined, name: '', arguments: '' }
    answer.calls.set(index, call)
    call.id = json.text(piece, 'id') ?? call.id
    call.name += json.text(piece, 'function', 'name') ?? ''
    call.arguments += json.text(piece, 'function', 'arguments') ?? ''
  }
}

function flushChunks(chunks: ChatChunks): void {
  const { streamed } = chunks
  if (streamed === undefined) return
  chunks.streamed = undefined
  readChatMessage(chunks, {
    role: 'assistant',
    content: streamed.text,
    reasoning_content: streamed.reasoning,
    tool_calls: [...streamed.calls.values()].map(({ id, name, ...call }) => ({
      id,
      function: { ...call, name: name || 'unknown' },
    })),
  })
}
