import * as json from '../../session/json.ts'
import { type Conversation, countAnswer, writeStanding, writeUser } from '../messages/conversation.ts'
import { responseItemTypes } from '../messages/family.ts'
import { type MessageLog, type MessageShapes, messageReader } from '../messages/message-reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { usageIn } from '../shared/usage.ts'
import { timeOfEpoch } from '../shared/values.ts'
import { readItem } from './items.ts'

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
      const object = json.fields(value)
      if (isStreamEvent(value)) readStreamEvent(stream, object)
      else if (isResponse(value)) {
        conversation.out.meta({ id: json.text(object.id) })
        readResponse(conversation, object)
      } else readItems(conversation, [value])
    },
    finish: () => flushStream(stream),
  }
}

function isItem(value: unknown): boolean {
  const { role, type, ...item } = json.fields(value)
  return json.text(type) === undefined
    ? json.text(role) !== undefined && 'content' in item
    : responseItemTypes.has(String(type))
}

function isResponse(value: unknown): boolean {
  return json.at(value, 'object') === 'response' && Array.isArray(json.at(value, 'output'))
}

function requestOf(value: unknown): json.Fields | undefined {
  const { body, request } = json.fields(value)
  const isRequest = ({ input }: json.Fields): boolean => Array.isArray(input) || typeof input === 'string'
  return [value, request, body].map((each) => json.fields(each)).find(isRequest)
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
  const { custom_id, id, response } = json.fields(value)
  const request = requestOf(value) ?? {}
  conversation.model = json.text(request.model)
  readInstructions(conversation, request)
  if (typeof request.input === 'string') writeUser(conversation, [request.input])
  else readItems(conversation, json.list(request.input))
  const answer = json.object(response, 'body') ?? json.object(response)
  if (answer !== undefined && isResponse(answer)) {
    conversation.out.meta({ id: json.text(answer.id) })
    readResponse(conversation, answer)
  } else if (answer !== undefined) conversation.other(response, 'response')
  conversation.out.absorb('no items')
  return json.text(id) ?? json.text(custom_id)
}

function readInstructions(conversation: Conversation, { instructions }: json.Fields): void {
  if (typeof instructions === 'string') writeStanding(conversation, 'system', instructions)
  else readItems(conversation, json.list(instructions))
}

function readResponse(conversation: Conversation, response: json.Fields): void {
  conversation.model = json.text(response.model)
  conversation.time = timeOfEpoch(response.created_at)
  readInstructions(conversation, response)
  readItems(conversation, json.list(response.output))
  countAnswer(conversation, response.id, usageIn(response.usage, 'responses'), response.model)
  noteFailure(conversation, response)
  const reason = json.text(response.incomplete_details, 'reason')
  if (reason !== undefined) conversation.out.note('incomplete-response', reason.slice(0, 500))
  if (json.text(response.previous_response_id) !== undefined)
    conversation.out.note('history-elsewhere', 'the turns before this response are kept by the server')
  conversation.out.absorb('empty response')
}

function noteFailure({ out }: Conversation, { error }: json.Fields): void {
  const message = json.text(error, 'message')
  if (message !== undefined) out.note('failed-response', message.slice(0, 500))
}

function readItems(conversation: Conversation, items: readonly unknown[]): void {
  for (const value of items) {
    const item = json.object(value)
    // A program that keeps the whole responses keeps model and usage with them.
    if (item !== undefined && isResponse(item)) {
      readResponse(conversation, item)
      // The next item is somebody else's, and later.
      conversation.time = undefined
      conversation.model = undefined
    } else if (item === undefined || !readItem(conversation, item))
      conversation.other(value, json.text(item?.type) ?? 'no-item')
  }
}

type ResponseStream = ReturnType<typeof createStream>

function isStreamEvent(value: unknown): boolean {
  const event = json.fields(value)
  if (!/^(?:response\.[\w.]+|keepalive)$/.test(json.text(event.type) ?? '')) return false
  return ['sequence_number', 'response', 'item', 'output_index', 'item_id'].some((key) => key in event)
}

/** The state before the first event; items that are not done, with their text so far, by their position in the output. */
function createStream(conversation: Conversation) {
  return { conversation, out: conversation.out, open: new Map<number, { item: json.Fields; text: string }>() }
}

const pieces =
  /(?:^keepalive|\.(?:delta|added|done|in_progress|completed|searching|interpreting|generating|partial_image|queued|failed))$/

function readStreamEvent(stream: ResponseStream, event: json.Fields): void {
  const type = json.text(event.type) ?? ''
  if (readKind(stream, type, event)) return
  if (pieces.test(type)) {
    if (typeof event.delta === 'string') addDelta(stream, type, indexOf(event), event.delta)
    stream.out.absorb('part of a streamed item')
  } else stream.conversation.other(event, type)
}

const readKind = byKind<ResponseStream>({
  'response.created response.in_progress'({ conversation, out }, event) {
    const response = json.fields(event.response)
    conversation.model = json.text(response.model) ?? conversation.model
    conversation.time = timeOfEpoch(response.created_at) ?? conversation.time
    out.meta({ id: json.text(response.id) })
    if (typeof response.instructions === 'string')
      writeStanding(conversation, 'system', response.instructions)
    out.absorb('start of a streamed response')
  },
  'response.output_item.added'({ conversation, open, out }, event, type) {
    const item = json.object(event.item)
    if (item === undefined) conversation.other(event, type)
    else open.set(indexOf(event), { item, text: '' })
    out.absorb('part of a streamed item')
  },
  'response.output_item.done'({ conversation, open, out }, event, type) {
    open.delete(indexOf(event))
    const item = json.object(event.item)
    if (item === undefined) conversation.other(event.item ?? event, type)
    else writeItem(conversation, item, type)
    out.absorb('empty item')
  },
  'response.completed response.incomplete response.failed'({ conversation, open, out }, event) {
    const response = json.fields(event.response)
    conversation.model = json.text(response.model) ?? conversation.model
    countAnswer(conversation, response.id, usageIn(response.usage, 'responses'), response.model)
    // The end repeats items that are missing from the log.
    for (const [index, { item }] of open)
      writeItem(conversation, json.object(json.list(response.output)[index]) ?? item)
    open.clear()
    noteFailure(conversation, response)
    out.absorb('usage and repeated items')
  },
})

function indexOf(event: json.Fields): number {
  return json.number(event.output_index) ?? -1
}

function writeItem(conversation: Conversation, item: json.Fields, name = 'item'): void {
  if (!readItem(conversation, item)) conversation.other(item, json.text(item.type) ?? name)
}

/** What the events are part of whose item's beginning is not in the log. */
const impliedItems: readonly (readonly [event: RegExp, item: json.Fields])[] = [
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

function withText(item: json.Fields, text: string): json.Fields {
  if (item.type === 'message') return { ...item, content: [{ type: 'output_text', text }] }
  if (item.type === 'reasoning') return { ...item, summary: [{ type: 'summary_text', text }] }
  if (item.type === 'code_interpreter_call') return { ...item, code: text }
  return { ...item, [item.type === 'custom_tool_call' ? 'input' : 'arguments']: text }
}
