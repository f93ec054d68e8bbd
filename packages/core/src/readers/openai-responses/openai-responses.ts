import * as json from '../../session/json.ts'
import { writeSystem } from '../messages/conversation.ts'
import { responseItemTypes } from '../messages/family.ts'
import { messageReader } from '../messages/message-reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { usageIn } from '../shared/usage.ts'
import { timeOfEpoch } from '../shared/values.ts'
import type { Writer } from '../shared/writer.ts'
import { readItem } from './items.ts'

/**
 * Reads items of OpenAI's Responses API: a response, a list of items and responses, a request with its `input`, lines
 * of any of these, and recorded stream events, one per line. https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponsesReader = messageReader({
  name: 'openai-responses',
  places: [],
  isItem: (value) => isItem(value) || isResponse(value),
  isAnswer: isResponse,
  isStreamed: isStreamEvent,
  listOf(value) {
    const { input } = requestOf(value) ?? {}
    return typeof input === 'string' ? [{ role: 'user', content: input }] : input
  },
  createLog(writer) {
    const stream = createStream(writer)
    return {
      begin(holder) {
        const request: json.Fields = requestOf(holder) ?? {}
        writer.model = json.text(request.model)
        readInstructions(writer, request)
      },
      read(value) {
        if (isStreamEvent(value)) readStreamEvent(stream, json.fields(value))
        else readItems(writer, [value])
      },
      finish() {
        for (const { item, text } of stream.items.values())
          writeItem(writer, text === '' ? item : withText(item, text))
      },
    }
  },
})

function isItem(value: unknown): boolean {
  const { role, type, ...item } = json.fields(value)
  if (json.text(type) !== undefined) return responseItemTypes.test(String(type))
  return json.text(role) !== undefined && 'content' in item
}

function isResponse(value: unknown): boolean {
  return json.at(value, 'object') === 'response' && Array.isArray(json.at(value, 'output'))
}

type Request = json.Fields & { readonly input: string | readonly unknown[] }

function requestOf(value: unknown): Request | undefined {
  const { body, request } = json.fields(value)
  const isRequest = (fields: json.Fields): fields is Request =>
    Array.isArray(fields.input) || typeof fields.input === 'string'
  return [value, request, body].map((each) => json.fields(each)).find(isRequest)
}

function readInstructions(writer: Writer, { instructions }: json.Fields): void {
  if (typeof instructions === 'string') writeSystem(writer, instructions)
  else readItems(writer, json.list(instructions))
}

function readResponse(writer: Writer, response: json.Fields): void {
  writer.model = json.text(response.model)
  writer.time = timeOfEpoch(response.created_at)
  readInstructions(writer, response)
  readItems(writer, json.list(response.output))
  writer.answer(response.id, usageIn(response.usage, 'responses'), response.model)
  noteFailure(writer, response)
  const reason = json.text(response.incomplete_details, 'reason')
  if (reason !== undefined) writer.out.note('incomplete-response', reason.slice(0, 500))
  if (json.text(response.previous_response_id) !== undefined)
    writer.out.note('history-elsewhere', 'the turns before this response are kept by the server')
  writer.out.absorb('empty response')
}

function noteFailure({ out }: Writer, { error }: json.Fields): void {
  const message = json.text(error, 'message')
  if (message !== undefined) out.note('failed-response', message.slice(0, 500))
}

function readItems(writer: Writer, items: readonly unknown[]): void {
  for (const value of items) {
    const item = json.object(value)
    // A program that keeps complete responses keeps model and usage with them.
    if (item !== undefined && isResponse(item)) {
      writer.out.meta({ id: json.text(item.id) })
      readResponse(writer, item)
      // The next item has another author and is later.
      writer.time = undefined
      writer.model = undefined
    } else if (item === undefined || !readItem(writer, item))
      writer.other(value, json.text(item?.type) ?? 'no-item')
  }
}

type ResponseStream = ReturnType<typeof createStream>

function isStreamEvent(value: unknown): boolean {
  const event = json.fields(value)
  if (!/^(?:response\.[\w.]+|keepalive)$/.test(json.text(event.type) ?? '')) return false
  return ['sequence_number', 'response', 'item', 'output_index', 'item_id'].some((key) => key in event)
}

function createStream(writer: Writer) {
  return Object.assign(writer, { items: new Map<number, { item: json.Fields; text: string }>() })
}

const pieces =
  /(?:^keepalive|\.(?:delta|added|done|in_progress|completed|searching|interpreting|generating|partial_image|queued|failed))$/

function readStreamEvent(stream: ResponseStream, event: json.Fields): void {
  const type = json.text(event.type) ?? ''
  if (readKind(stream, type, event)) return
  if (pieces.test(type)) {
    const known = stream.items.get(indexOf(event))
    const item = known?.item ?? impliedItems.find(([implied]) => implied.test(type))?.[1]
    if (typeof event.delta === 'string' && item !== undefined)
      stream.items.set(indexOf(event), { item, text: `${known?.text ?? ''}${event.delta}` })
    stream.out.absorb('part of a streamed item')
  } else stream.other(event, type)
}

const readKind = byKind<ResponseStream>({
  'response.created response.in_progress'(writer, event) {
    const response = json.fields(event.response)
    writer.model = json.text(response.model) ?? writer.model
    writer.time = timeOfEpoch(response.created_at) ?? writer.time
    writer.out.meta({ id: json.text(response.id) })
    if (typeof response.instructions === 'string') writeSystem(writer, response.instructions)
    writer.out.absorb('start of a streamed response')
  },
  'response.output_item.added'(writer, event, type) {
    const item = json.object(event.item)
    if (item === undefined) writer.other(event, type)
    else writer.items.set(indexOf(event), { item, text: '' })
    writer.out.absorb('part of a streamed item')
  },
  'response.output_item.done'(writer, event, type) {
    writer.items.delete(indexOf(event))
    const item = json.object(event.item)
    if (item === undefined) writer.other(event.item ?? event, type)
    else writeItem(writer, item, type)
    writer.out.absorb('empty item')
  },
  'response.completed response.incomplete response.failed'(writer, event) {
    const response = json.fields(event.response)
    writer.model = json.text(response.model) ?? writer.model
    writer.answer(response.id, usageIn(response.usage, 'responses'), response.model)
    // The last event repeats items that are missing from the log.
    for (const [index, { item }] of writer.items)
      writeItem(writer, json.object(json.list(response.output)[index]) ?? item)
    writer.items.clear()
    noteFailure(writer, response)
    writer.out.absorb('usage and repeated items')
  },
})

function indexOf(event: json.Fields): number {
  return json.number(event.output_index) ?? -1
}

function writeItem(writer: Writer, item: json.Fields, name = 'item'): void {
  if (!readItem(writer, item)) writer.other(item, json.text(item.type) ?? name)
}

/** Items implied by events, for an item whose beginning is not in the log. */
const impliedItems: readonly (readonly [event: RegExp, item: json.Fields])[] = [
  [/^response\.(?:output_text|refusal)\./, { type: 'message', role: 'assistant', content: [] }],
  [/^response\.reasoning/, { type: 'reasoning', summary: [] }],
  [/^response\.(?:function_call|mcp_call)_arguments\./, { type: 'function_call', name: 'unknown' }],
  [/^response\.custom_tool_call_input\./, { type: 'custom_tool_call', name: 'unknown' }],
  [/^response\.code_interpreter_call_code\./, { type: 'code_interpreter_call' }],
]

function withText(item: json.Fields, text: string): json.Fields {
  if (item.type === 'message') return { ...item, content: [{ type: 'output_text', text }] }
  if (item.type === 'reasoning') return { ...item, summary: [{ type: 'summary_text', text }] }
  if (item.type === 'code_interpreter_call') return { ...item, code: text }
  return { ...item, [item.type === 'custom_tool_call' ? 'input' : 'arguments']: text }
}
