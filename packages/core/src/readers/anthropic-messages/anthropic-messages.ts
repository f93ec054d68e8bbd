import { appendTo } from '../../session/append-to.ts'
import * as json from '../../session/json.ts'
import { callArguments, keepOthers, writeSystem } from '../messages/conversation.ts'
import { messageReader } from '../messages/message-reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { contentParts } from '../shared/values.ts'
import type { Writer } from '../shared/writer.ts'
import { countUsage, isAnthropicMessage, noteEdits, readAnthropicMessage, readModelBlocks } from './blocks.ts'

/**
 * Reads messages of Anthropic's API: a request, its bare `messages`, an answer, lines of any of these, and recorded
 * stream events, one per line. https://docs.claude.com/en/api/messages
 */
export const anthropicMessagesReader = messageReader({
  name: 'anthropic-messages',
  places: ['messages', 'request.messages', 'body.messages'],
  isItem: isAnthropicMessage,
  isAnswer: isAnthropicMessage,
  isStreamed: isStreamEvent,
  // Session id from the application; Claude Code writes JSON into `user_id`.
  idOf(conversation) {
    const holders = [conversation, conversation.request, conversation.body]
    const metadata = holders.map((holder) => json.fields(holder, 'metadata'))
    const users = json.texts(metadata.map(({ user_id }) => user_id))
    const [id] = json.texts(metadata.map(({ session_id }) => session_id))
    return id ?? /_session_([\w-]{8,64})$/.exec(users[0] ?? '')?.[1]
  },
  createLog(writer) {
    const stream = createStream(writer)
    let model: string | undefined
    return {
      begin(request) {
        model = json.text(request.model)
        readSystem(writer, request.system)
      },
      read(value) {
        const object = json.fields(value)
        if (!isStreamEvent(value)) readMessage(writer, value, model)
        else if (!readStreamEvent(stream, object.type, object)) writer.other(value)
      },
      finish: () => flushStream(stream),
    }
  },
})

function readSystem(writer: Writer, system: unknown): void {
  const { texts, others } = contentParts(system)
  for (const text of texts) writeSystem(writer, text)
  keepOthers(writer, others)
}

function readMessage(writer: Writer, value: unknown, model: string | undefined): void {
  const message = json.fields(value)
  writer.model = json.text(message.model) ?? model
  if (message.role === 'system') readSystem(writer, message.content)
  else if (!readAnthropicMessage(writer, message)) writer.other(value, json.text(message.role) ?? 'message')
  countUsage(writer, message)
  noteEdits(writer, message.context_management)
}

type AnthropicStream = ReturnType<typeof createStream>

const types = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/

function isStreamEvent(value: unknown): boolean {
  return types.test(json.text(value, 'type') ?? '')
}

function createStream(writer: Writer) {
  return Object.assign(writer, {
    blocks: new Map<number, { readonly start: json.Fields; readonly pieces: Map<string, string[]> }>(),
    streamed: { id: 'stream' } as json.Fields,
  })
}

const readStreamEvent = byKind<AnthropicStream>({
  message_start(stream, event) {
    flushStream(stream)
    const { content: _, ...answer } = json.fields(event.message)
    stream.streamed = { ...answer, id: json.text(answer.id) ?? `stream-${++stream.answers}` }
    stream.model = json.text(answer.model)
    countUsage(stream, stream.streamed)
    stream.out.absorb('start of a streamed answer')
  },
  content_block_start(stream, event) {
    const index = json.number(event.index) ?? stream.blocks.size
    const start = json.object(event.content_block)
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
    closeBlock(stream, json.number(index) ?? -1)
    stream.out.absorb('end of a streamed block')
  },
  message_delta(stream, event) {
    const { streamed, out } = stream
    stream.streamed = { ...streamed, usage: { ...json.object(streamed.usage), ...json.object(event.usage) } }
    countUsage(stream, stream.streamed)
    noteEdits(stream, event.context_management)
    out.absorb('usage')
  },
  'message_stop ping': 'keep-alive or end of a stream',
})

function flushStream(stream: AnthropicStream): void {
  for (const index of [...stream.blocks.keys()]) closeBlock(stream, index)
}

/** By the type of a piece: the field with its text, and the field and type of its block. */
const deltas = new Map<unknown, readonly [from: string, field: string, type: string]>([
  ['text_delta', ['text', 'text', 'text']],
  ['thinking_delta', ['thinking', 'thinking', 'thinking']],
  ['input_json_delta', ['partial_json', 'input', 'tool_use']],
  ['compaction_delta', ['content', 'content', 'compaction']],
])

function addDelta({ blocks }: AnthropicStream, event: json.Fields): boolean {
  const delta = json.fields(event.delta)
  if (delta.type === 'signature_delta' || delta.type === 'citations_delta') return true
  const [from = '', field = '', type] = deltas.get(delta.type) ?? []
  const piece = delta[from]
  if (type === undefined || typeof piece !== 'string') return piece === null && type !== undefined
  const index = json.number(event.index) ?? -1
  const block = blocks.get(index) ?? { start: { type, name: 'unknown' }, pieces: new Map() }
  blocks.set(index, block)
  appendTo(block.pieces, field, piece)
  return true
}

function closeBlock(stream: AnthropicStream, index: number): void {
  const block = stream.blocks.get(index)
  if (block === undefined) return
  stream.blocks.delete(index)
  const whole: Record<string, unknown> = { ...block.start }
  for (const [field, pieces] of block.pieces) {
    const text = pieces.join('')
    whole[field] = field === 'input' ? callArguments(text) : `${json.text(whole[field]) ?? ''}${text}`
  }
  readModelBlocks(stream, [whole])
}
