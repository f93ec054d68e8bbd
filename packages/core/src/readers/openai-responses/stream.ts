import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type Conversation, writeStanding } from '../messages/conversation.ts'
import { timeOfEpoch } from '../messages/time.ts'
import { addResponseUsage, readItem } from './items.ts'

/** The state of reading a recorded stream of events. */
export interface ResponseStream {
  readonly conversation: Conversation
  /** Items that were begun and are not done, with the pieces of their text, by their position in the output. */
  readonly open: Map<number, { readonly item: JsonObject; readonly pieces: string[] }>
}

const ends = /^response\.(?:completed|incomplete|failed)$/

/** Whether a value is an event of a stream of the Responses API. */
export function isStreamEvent(value: unknown): boolean {
  const event = asObject(value)
  const type = asText(event?.type)
  if (event === undefined || type === undefined || !/^(?:response\.[\w.]+|keepalive)$/.test(type))
    return false
  return ['sequence_number', 'response', 'item', 'output_index', 'item_id'].some((key) => key in event)
}

/** The state before the first event. */
export function createStream(conversation: Conversation): ResponseStream {
  return { conversation, open: new Map() }
}

/** Reads one event; an item is written when it is done. */
export function readStreamEvent(stream: ResponseStream, event: JsonObject): void {
  const { conversation, open } = stream
  const type = asText(event.type) ?? ''
  const index = asNumber(event.output_index) ?? -1
  if (type === 'response.created' || type === 'response.in_progress') {
    readStart(conversation, asObject(event.response) ?? {})
  } else if (type === 'response.output_item.added') {
    const item = asObject(event.item)
    if (item === undefined) conversation.other(event, type)
    else open.set(index, { item, pieces: [] })
    conversation.out.absorb('part of a streamed item')
  } else if (type === 'response.output_item.done') {
    open.delete(index)
    const item = asObject(event.item)
    if (item === undefined || !readItem(conversation, item))
      conversation.other(event.item ?? event, asText(item?.type) ?? type)
    conversation.out.absorb('empty item')
  } else if (ends.test(type)) readEnd(stream, asObject(event.response) ?? {})
  else if (
    /(?:^keepalive|\.(?:delta|added|done|in_progress|completed|searching|interpreting|generating|partial_image|queued|failed))$/.test(
      type,
    )
  ) {
    if (typeof event.delta === 'string') addDelta(stream, type, index, event.delta)
    conversation.out.absorb('part of a streamed item')
  } else conversation.other(event, type)
}

/** Adds a piece to its item; if the beginning of that is not in the log, the event gives the type. */
function addDelta({ open }: ResponseStream, type: string, index: number, delta: string): void {
  const known = open.get(index)
  const item = known?.item ?? impliedItem(type)
  if (item === undefined) return
  if (known === undefined) open.set(index, { item, pieces: [delta] })
  else known.pieces.push(delta)
}

function impliedItem(type: string): JsonObject | undefined {
  if (/^response\.(?:output_text|refusal)\./.test(type))
    return { type: 'message', role: 'assistant', content: [] }
  if (/^response\.reasoning/.test(type)) return { type: 'reasoning', summary: [] }
  if (/^response\.(?:function_call|mcp_call)_arguments\./.test(type))
    return { type: 'function_call', name: 'unknown' }
  if (/^response\.custom_tool_call_input\./.test(type)) return { type: 'custom_tool_call', name: 'unknown' }
  return /^response\.code_interpreter_call_code\./.test(type) ? { type: 'code_interpreter_call' } : undefined
}

function readStart(conversation: Conversation, response: JsonObject): void {
  conversation.model = asText(response.model) ?? conversation.model
  conversation.time = timeOfEpoch(response.created_at) ?? conversation.time
  const id = asText(response.id)
  if (id !== undefined) conversation.out.meta({ id })
  if (typeof response.instructions === 'string') writeStanding(conversation, 'system', response.instructions)
  conversation.out.absorb('start of a streamed response')
}

function readEnd(stream: ResponseStream, response: JsonObject): void {
  const { conversation, open } = stream
  conversation.model = asText(response.model) ?? conversation.model
  addResponseUsage(conversation, response)
  // The end repeats items that are missing from the log.
  for (const [index, { item }] of open) {
    const whole = asObject(asList(response.output)[index]) ?? item
    if (!readItem(conversation, whole)) conversation.other(whole, asText(whole.type) ?? 'item')
  }
  open.clear()
  const error = asText(asObject(response.error)?.message)
  if (error !== undefined) conversation.out.note('failed-response', error.slice(0, 500))
  conversation.out.absorb('usage and repeated items')
}

/** Writes the items in which the log breaks off, as far as they go. */
export function flushStream({ conversation, open }: ResponseStream): void {
  for (const { item, pieces } of open.values()) {
    const text = pieces.join('')
    const whole = withText(item, text)
    if (!readItem(conversation, whole)) conversation.other(whole, asText(whole.type) ?? 'item')
  }
  open.clear()
}

function withText(item: JsonObject, text: string): JsonObject {
  if (text === '') return item
  if (item.type === 'message') return { ...item, content: [{ type: 'output_text', text }] }
  if (item.type === 'reasoning') return { ...item, summary: [{ type: 'summary_text', text }] }
  if (item.type === 'code_interpreter_call') return { ...item, code: text }
  return { ...item, [item.type === 'custom_tool_call' ? 'input' : 'arguments']: text }
}
