import { appendTo } from '../../session/append-to.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, callArguments } from '../messages/conversation.ts'
import { addAnthropicUsage, noteEdits, readModelBlocks } from './blocks.ts'

/** The state of reading a recorded stream of events. */
export interface AnthropicStream {
  readonly conversation: Conversation
  readonly blocks: Map<number, OpenBlock>
  /** The answer that the events are part of, without its content. */
  answer: JsonObject
}

interface OpenBlock {
  readonly start: JsonObject
  /** Pieces by the field that they belong to. */
  readonly pieces: Map<string, string[]>
}

const types =
  /^(?:message_start|message_delta|message_stop|content_block_start|content_block_delta|content_block_stop|ping)$/

/** Whether a value is an event of a stream of Anthropic's API. */
export function isStreamEvent(value: unknown): boolean {
  const type = asText(asObject(value)?.type)
  return type !== undefined && types.test(type)
}

/** The state before the first event. */
export function createStream(conversation: Conversation): AnthropicStream {
  return { conversation, blocks: new Map(), answer: { id: 'stream' } }
}

/** Reads one event; a block is written when it is complete. */
export function readStreamEvent(stream: AnthropicStream, event: JsonObject): void {
  const { conversation } = stream
  switch (event.type) {
    case 'message_start':
      flushStream(stream)
      startAnswer(stream, asObject(event.message) ?? {})
      return
    case 'content_block_start':
      startBlock(stream, event)
      return
    case 'content_block_delta':
      if (addDelta(stream, event)) conversation.out.absorb('part of a streamed block')
      else conversation.other(event, 'content_block_delta')
      return
    case 'content_block_stop': {
      const index = asNumber(event.index) ?? -1
      if (stream.blocks.has(index)) closeBlock(stream, index)
      conversation.out.absorb('end of a streamed block')
      return
    }
    case 'message_delta':
      stream.answer = {
        ...stream.answer,
        usage: { ...asObject(stream.answer.usage), ...asObject(event.usage) },
      }
      addAnthropicUsage(conversation, stream.answer)
      noteEdits(conversation, event.context_management)
      conversation.out.absorb('usage')
      return
    default:
      conversation.out.absorb('keep-alive or end of a stream')
  }
}

/** Writes the blocks in which the log breaks off. */
export function flushStream(stream: AnthropicStream): void {
  for (const index of [...stream.blocks.keys()]) closeBlock(stream, index)
}

function startAnswer(stream: AnthropicStream, message: JsonObject): void {
  const { content, ...answer } = message
  stream.answer = { ...answer, id: asText(answer.id) ?? `stream-${++stream.conversation.answers}` }
  stream.conversation.model = asText(answer.model)
  addAnthropicUsage(stream.conversation, stream.answer)
  stream.conversation.out.absorb('start of a streamed answer')
}

function startBlock(stream: AnthropicStream, event: JsonObject): void {
  const index = asNumber(event.index) ?? stream.blocks.size
  const start = asObject(event.content_block)
  if (start === undefined) {
    stream.conversation.other(event, 'content_block_start')
    return
  }
  if (stream.blocks.has(index)) closeBlock(stream, index)
  stream.blocks.set(index, { start, pieces: new Map() })
  stream.conversation.out.absorb('part of a streamed block')
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

function closeBlock(stream: AnthropicStream, index: number): void {
  const block = stream.blocks.get(index)
  if (block === undefined) return
  stream.blocks.delete(index)
  const whole: Record<string, unknown> = { ...block.start }
  for (const [field, pieces] of block.pieces) {
    const text = pieces.join('')
    whole[field] = field === 'input' ? callArguments(text) : `${asText(whole[field]) ?? ''}${text}`
  }
  readModelBlocks(stream.conversation, [whole])
}
