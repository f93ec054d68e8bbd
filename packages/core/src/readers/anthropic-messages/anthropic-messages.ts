import { appendTo } from '../../session/append-to.ts'
import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, callArguments, writeStanding } from '../messages/conversation.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { contentParts } from '../shared/content.ts'
import { byKind } from '../shared/writer.ts'
import {
  addAnthropicUsage,
  isAnthropicMessage,
  noteEdits,
  readAnthropicMessage,
  readModelBlocks,
} from './blocks.ts'

const shapes: MessageShapes = {
  isConversation,
  isLine: (value) => isAnthropicMessage(value) || isStreamEvent(value),
}

/**
 * Reads messages of Anthropic's API: a request, its bare `messages`, an answer, lines of any of these, and the events
 * of a recorded stream, one a line. https://docs.claude.com/en/api/messages
 */
export const anthropicMessagesReader = messageReader({
  name: 'anthropic-messages',
  shapes,
  isStreamed: isStreamEvent,
  createLog,
})

function createLog(conversation: Conversation): MessageLog {
  const stream = createStream(conversation)
  return {
    ...shapes,
    readConversation: (value) => readConversation(conversation, value),
    readLine(value) {
      const object = asObject(value) ?? {}
      if (isStreamEvent(value)) {
        if (!readStreamEvent(stream, object.type, object)) conversation.other(value)
      } else readMessage(conversation, object, undefined)
    },
    finish: () => flushStream(stream),
  }
}

function requestOf(value: unknown): JsonObject | undefined {
  const object = asObject(value)
  return [object, asObject(object?.request), asObject(object?.body)].find((candidate) =>
    asList(candidate?.messages).some(isAnthropicMessage),
  )
}

function isConversation(value: unknown): boolean {
  if (requestOf(value) !== undefined) return true
  return Array.isArray(value) && value.length > 0 && value.some(isAnthropicMessage)
}

function readConversation(conversation: Conversation, value: unknown): string | undefined {
  const request = requestOf(value)
  if (request === undefined) {
    readMessages(conversation, asList(value), undefined)
    return undefined
  }
  const outer = asObject(value) ?? {}
  const model = asText(request.model)
  conversation.out.meta({ title: asText(outer.title) })
  readSystem(conversation, request.system)
  readMessages(conversation, asList(request.messages), model)
  const answer = asObject(outer.response)
  const body = asObject(answer?.body) ?? answer
  if (body !== undefined && isAnthropicMessage(body)) readMessage(conversation, body, model)
  else if (answer !== undefined) conversation.other(answer, 'response')
  return sessionOf(request) ?? asText(outer.id)
}

/** `metadata` holds what the application reported about the session: Claude Code writes JSON into `user_id`. */
function sessionOf(request: JsonObject): string | undefined {
  const metadata = asObject(request.metadata)
  return asText(metadata?.session_id) ?? /_session_([\w-]{8,64})$/.exec(asText(metadata?.user_id) ?? '')?.[1]
}

function readSystem(conversation: Conversation, system: unknown): void {
  if (system === undefined || system === null) return
  const parts = contentParts(system)
  for (const text of parts.texts) writeStanding(conversation, 'system', text)
  for (const other of parts.others) conversation.other(other, 'system')
}

function readMessages(conversation: Conversation, list: readonly unknown[], model: string | undefined): void {
  for (const value of list) {
    const message = asObject(value)
    if (message === undefined) conversation.other(value, 'no-object')
    else readMessage(conversation, message, model)
  }
  if (list.length === 0) conversation.out.absorb('no messages')
}

function readMessage(conversation: Conversation, message: JsonObject, model: string | undefined): void {
  conversation.model = asText(message.model) ?? model
  if (message.role === 'system') readSystem(conversation, message.content)
  else if (!readAnthropicMessage(conversation, message))
    conversation.other(message, asText(message.role) ?? 'message')
  addAnthropicUsage(conversation, message)
  noteEdits(conversation, message.context_management)
}

/** A block whose pieces arrive, by the field that they belong to. */
interface OpenBlock {
  readonly start: JsonObject
  readonly pieces: Map<string, string[]>
}

type AnthropicStream = ReturnType<typeof createStream>

const types = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/

function isStreamEvent(value: unknown): boolean {
  return types.test(asText(asObject(value)?.type) ?? '')
}

/** The state before the first event, with the answer that the events are part of, without its content. */
function createStream(conversation: Conversation) {
  return {
    conversation,
    out: conversation.out,
    blocks: new Map<number, OpenBlock>(),
    answer: { id: 'stream' } as JsonObject,
  }
}

/** Reads one event; a block is written when it is complete. */
const readStreamEvent = byKind<AnthropicStream>({
  message_start(stream, event) {
    const { conversation, out } = stream
    flushStream(stream)
    const { content: _, ...answer } = asObject(event.message) ?? {}
    stream.answer = { ...answer, id: asText(answer.id) ?? `stream-${++conversation.answers}` }
    conversation.model = asText(answer.model)
    addAnthropicUsage(conversation, stream.answer)
    out.absorb('start of a streamed answer')
  },
  content_block_start(stream, event) {
    const index = asNumber(event.index) ?? stream.blocks.size
    const start = asObject(event.content_block)
    if (start === undefined) return false
    closeBlock(stream, index)
    stream.blocks.set(index, { start, pieces: new Map() })
    stream.out.absorb('part of a streamed block')
  },
  content_block_delta(stream, event) {
    if (!addDelta(stream, event)) return false
    stream.out.absorb('part of a streamed block')
  },
  content_block_stop(stream, { index }) {
    closeBlock(stream, asNumber(index) ?? -1)
    stream.out.absorb('end of a streamed block')
  },
  message_delta(stream, event) {
    const { answer, conversation, out } = stream
    stream.answer = { ...answer, usage: { ...asObject(answer.usage), ...asObject(event.usage) } }
    addAnthropicUsage(conversation, stream.answer)
    noteEdits(conversation, event.context_management)
    out.absorb('usage')
  },
  'message_stop ping': 'keep-alive or end of a stream',
})

/** Writes the blocks in which the log breaks off. */
function flushStream(stream: AnthropicStream): void {
  for (const index of [...stream.blocks.keys()]) closeBlock(stream, index)
}

const fields: readonly (readonly [delta: string, from: string, field: string, type: string])[] = [
  ['text_delta', 'text', 'text', 'text'],
  ['thinking_delta', 'thinking', 'thinking', 'thinking'],
  ['input_json_delta', 'partial_json', 'input', 'tool_use'],
  ['compaction_delta', 'content', 'content', 'compaction'],
]

/** Adds a piece to its block, which need not have been started; returns `false` for a piece of an unknown kind. */
function addDelta({ blocks }: AnthropicStream, event: JsonObject): boolean {
  const delta = asObject(event.delta)
  if (delta?.type === 'signature_delta' || delta?.type === 'citations_delta') return true
  const field = fields.find(([type]) => type === delta?.type)
  const piece = field === undefined ? undefined : delta?.[field[1]]
  if (field === undefined || typeof piece !== 'string') return piece === null && field !== undefined
  const index = asNumber(event.index) ?? -1
  const block = blocks.get(index) ?? { start: { type: field[3], name: 'unknown' }, pieces: new Map() }
  blocks.set(index, block)
  appendTo(block.pieces, field[2], piece)
  return true
}

function closeBlock({ blocks, conversation }: AnthropicStream, index: number): void {
  const block = blocks.get(index)
  if (block === undefined) return
  blocks.delete(index)
  const whole: Record<string, unknown> = { ...block.start }
  for (const [field, pieces] of block.pieces) {
    const text = pieces.join('')
    whole[field] = field === 'input' ? callArguments(text) : `${asText(whole[field]) ?? ''}${text}`
  }
  readModelBlocks(conversation, [whole])
}
