import {
  asList,
  asNumber,
  asObject,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  textAt,
} from '../../session/json-values.ts'
import { type Conversation, writeStanding, writeUser } from '../messages/conversation.ts'
import { responseItemTypes } from '../messages/family.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { timeOfEpoch } from '../shared/time.ts'
import { addResponseUsage, readItem } from './items.ts'

const shapes: MessageShapes = {
  isConversation,
  isLine: (value) => isItem(value) || isResponse(value) || isStreamEvent(value),
}

/**
 * Reads items of OpenAI's Responses API: a response, a list of items and responses, a request with its `input`, lines of any of
 * these, and the events of a recorded stream, one a line. https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponsesReader = messageReader({
  name: 'openai-responses',
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
      const object = fieldsOf(value)
      if (isStreamEvent(value)) readStreamEvent(stream, object)
      else if (isResponse(value)) {
        conversation.out.meta({ id: asText(object.id) })
        readResponse(conversation, object)
      } else readItems(conversation, [value])
    },
    finish: () => flushStream(stream),
  }
}

function isItem(value: unknown): boolean {
  const { role, type, ...item } = fieldsOf(value)
  return asText(type) === undefined
    ? asText(role) !== undefined && 'content' in item
    : responseItemTypes.has(String(type))
}

function isResponse(value: unknown): boolean {
  return at(value, 'object') === 'response' && Array.isArray(at(value, 'output'))
}

function requestOf(value: unknown): JsonObject | undefined {
  const { body, request } = fieldsOf(value)
  const isRequest = ({ input }: JsonObject): boolean => Array.isArray(input) || typeof input === 'string'
  return [value, request, body].map(fieldsOf).find(isRequest)
}

function isConversation(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isItem) || value.some(isResponse)
  return !isItem(value) && !isResponse(value) && !isStreamEvent(value) && requestOf(value) !== undefined
}

function readConversation(conversation: Conversation, value: unknown): string | undefined {
  if (Array.isArray(value)) {
    readItems(conversation, value)
    return undefined
  }
  const { custom_id, id, response } = fieldsOf(value)
  const request = requestOf(value) ?? {}
  conversation.model = asText(request.model)
  readInstructions(conversation, request)
  if (typeof request.input === 'string') writeUser(conversation, [request.input])
  else readItems(conversation, asList(request.input))
  const answer = asObject(at(response, 'body')) ?? asObject(response)
  if (answer !== undefined && isResponse(answer)) {
    conversation.out.meta({ id: asText(answer.id) })
    readResponse(conversation, answer)
  } else if (answer !== undefined) conversation.other(response, 'response')
  conversation.out.absorb('no items')
  return asText(id) ?? asText(custom_id)
}

function readInstructions(conversation: Conversation, { instructions }: JsonObject): void {
  if (typeof instructions === 'string') writeStanding(conversation, 'system', instructions)
  else readItems(conversation, asList(instructions))
}

function readResponse(conversation: Conversation, response: JsonObject): void {
  conversation.model = asText(response.model)
  conversation.time = timeOfEpoch(response.created_at)
  readInstructions(conversation, response)
  readItems(conversation, asList(response.output))
  addResponseUsage(conversation, response)
  noteFailure(conversation, response)
  const reason = textAt(response.incomplete_details, 'reason')
  if (reason !== undefined) conversation.out.note('incomplete-response', reason.slice(0, 500))
  if (asText(response.previous_response_id) !== undefined)
    conversation.out.note('history-elsewhere', 'the turns before this response are kept by the server')
  conversation.out.absorb('empty response')
}

function noteFailure({ out }: Conversation, { error }: JsonObject): void {
  const message = textAt(error, 'message')
  if (message !== undefined) out.note('failed-response', message.slice(0, 500))
}

function readItems(conversation: Conversation, items: readonly unknown[]): void {
  for (const value of items) {
    const item = asObject(value)
    // A program that keeps the whole responses keeps model and usage with them.
    if (item !== undefined && isResponse(item)) {
      readResponse(conversation, item)
      // The next item is somebody else's, and later.
      conversation.time = undefined
      conversation.model = undefined
    } else if (item === undefined || !readItem(conversation, item))
      conversation.other(value, asText(item?.type) ?? 'no-item')
  }
}

type ResponseStream = ReturnType<typeof createStream>

function isStreamEvent(value: unknown): boolean {
  const event = fieldsOf(value)
  if (!/^(?:response\.[\w.]+|keepalive)$/.test(asText(event.type) ?? '')) return false
  return ['sequence_number', 'response', 'item', 'output_index', 'item_id'].some((key) => key in event)
}

/** The state before the first event; items that are not done, with their text so far, by their position in the output. */
function createStream(conversation: Conversation) {
  return { conversation, out: conversation.out, open: new Map<number, { item: JsonObject; text: string }>() }
}

const pieces =
  /(?:^keepalive|\.(?:delta|added|done|in_progress|completed|searching|interpreting|generating|partial_image|queued|failed))$/

function readStreamEvent(stream: ResponseStream, event: JsonObject): void {
  const type = asText(event.type) ?? ''
  if (readKind(stream, type, event)) return
  if (pieces.test(type)) {
    if (typeof event.delta === 'string') addDelta(stream, type, indexOf(event), event.delta)
    stream.out.absorb('part of a streamed item')
  } else stream.conversation.other(event, type)
}

const readKind = byKind<ResponseStream>({
  'response.created response.in_progress'({ conversation, out }, event) {
    const response = fieldsOf(event.response)
    conversation.model = asText(response.model) ?? conversation.model
    conversation.time = timeOfEpoch(response.created_at) ?? conversation.time
    out.meta({ id: asText(response.id) })
    if (typeof response.instructions === 'string')
      writeStanding(conversation, 'system', response.instructions)
    out.absorb('start of a streamed response')
  },
  'response.output_item.added'({ conversation, open, out }, event, type) {
    const item = asObject(event.item)
    if (item === undefined) conversation.other(event, type)
    else open.set(indexOf(event), { item, text: '' })
    out.absorb('part of a streamed item')
  },
  'response.output_item.done'({ conversation, open, out }, event, type) {
    open.delete(indexOf(event))
    const item = asObject(event.item)
    if (item === undefined) conversation.other(event.item ?? event, type)
    else writeItem(conversation, item, type)
    out.absorb('empty item')
  },
  'response.completed response.incomplete response.failed'({ conversation, open, out }, event) {
    const response = fieldsOf(event.response)
    conversation.model = asText(response.model) ?? conversation.model
    addResponseUsage(conversation, response)
    // The end repeats items that are missing from the log.
    for (const [index, { item }] of open)
      writeItem(conversation, asObject(asList(response.output)[index]) ?? item)
    open.clear()
    noteFailure(conversation, response)
    out.absorb('usage and repeated items')
  },
})

function indexOf(event: JsonObject): number {
  return asNumber(event.output_index) ?? -1
}

function writeItem(conversation: Conversation, item: JsonObject, name = 'item'): void {
  if (!readItem(conversation, item)) conversation.other(item, asText(item.type) ?? name)
}

/** What the events are part of whose item's beginning is not in the log. */
const impliedItems: readonly (readonly [event: RegExp, item: JsonObject])[] = [
  [/^response\.(?:output_text|refusal)\./, { type: 'message', role: 'assistant', content: [] }],
  [/^response\.reasoning/, { type: 'reasoning', summary: [] }],
  [/^response\.(?:function_call|mcp_call)_arguments\./, { type: 'function_call', name: 'unknown' }],
  [/^response\.custom_tool_call_input\./, { type: 'custom_tool_call', name: 'unknown' }],
  [/^response\.code_interpreter_call_code\./, { type: 'code_interpreter_call' }],
]

function addDelta({ open }: ResponseStream, type: string, index: number, delta: string): void {
  const known = open.get(index)
  const item = known?.item ?? impliedItems.find(([event]) => event.test(type))?.[1]
  if (item !== undefined) open.set(index, { item, text: `${known?.text ?? ''}${delta}` })
}

/** Writes the items in which the log breaks off, as far as they go. */
function flushStream({ conversation, open }: ResponseStream): void {
  for (const { item, text } of open.values())
    writeItem(conversation, text === '' ? item : withText(item, text))
  open.clear()
}

function withText(item: JsonObject, text: string): JsonObject {
  if (item.type === 'message') return { ...item, content: [{ type: 'output_text', text }] }
  if (item.type === 'reasoning') return { ...item, summary: [{ type: 'summary_text', text }] }
  if (item.type === 'code_interpreter_call') return { ...item, code: text }
  return { ...item, [item.type === 'custom_tool_call' ? 'input' : 'arguments']: text }
}
