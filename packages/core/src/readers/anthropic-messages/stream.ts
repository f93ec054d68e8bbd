import { appendTo } from '../../session/append-to.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, callArguments } from '../messages/conversation.ts'
import { byKind } from '../shared/writer.ts'
import { addAnthropicUsage, noteEdits, readModelBlocks } from './blocks.ts'

/** A block whose pieces arrive, by the field that they belong to. */
interface OpenBlock {
  readonly start: JsonObject
  readonly pieces: Map<string, string[]>
}

export type AnthropicStream = ReturnType<typeof createStream>

const types = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/

export function isStreamEvent(value: unknown): boolean {
  return types.test(asText(asObject(value)?.type) ?? '')
}

/** The state before the first event, with the answer that the events are part of, without its content. */
export function createStream(conversation: Conversation) {
  return {
    conversation,
    out: conversation.out,
    blocks: new Map<number, OpenBlock>(),
    answer: { id: 'stream' } as JsonObject,
  }
}

/** Reads one event; a block is written when it is complete. */
export const readStreamEvent = byKind<AnthropicStream>({
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
export function flushStream(stream: AnthropicStream): void {
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
