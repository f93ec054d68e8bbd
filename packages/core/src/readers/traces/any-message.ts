import * as json from '../../session/json.ts'
import { byWord } from '../../tools/by-word.ts'
import { callArguments, writeOutput, writeSystem, writeUser } from '../messages/conversation.ts'
import type { Writer } from '../shared/writer.ts'

/** A message in the form of any framework: LangChain, OpenAI's chat, the AI SDK, OpenTelemetry. */
export interface AnyMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly MessagePart[]
  readonly fields: json.Fields
}

type MessagePart =
  | { readonly is: 'text' | 'reasoning'; readonly text: string }
  | { readonly is: 'image' }
  | { readonly is: 'call'; readonly id: unknown; readonly name: string; readonly input: unknown }
  | {
      readonly is: 'result'
      readonly id: unknown
      readonly name: string | undefined
      readonly output: unknown
      readonly failed: boolean | undefined
    }
  | { readonly is: 'other'; readonly raw: unknown }

const roles: ReadonlyMap<unknown, AnyMessage['role']> = byWord({
  system: 'system developer',
  user: 'user human',
  assistant: 'assistant ai model',
  tool: 'tool function',
})

/** Reads a message of LangChain: `{lc, kwargs}` of its class, `{type, data}` as stored, `{type, content}` of LangGraph. */
export function langChainMessage(value: unknown): Omit<AnyMessage, 'parts'> | undefined {
  const { content, data, id, kwargs, lc, type } = json.fields(value)
  const own = lc === 1 && type === 'constructor' ? json.object(kwargs) : undefined
  // A class such as `HumanMessage` or `AIMessageChunk`, or `human` and `ai`.
  const name = /^(human|ai|system|tool|function)(?:Message)?(?:Chunk)?$/i
  const named = json.text(own === undefined ? type : json.list(id).at(-1)) ?? ''
  const role = roles.get(name.exec(named)?.[1]?.toLowerCase())
  const fields = own ?? json.object(data) ?? (content === undefined ? undefined : json.object(value))
  return role === undefined || fields === undefined ? undefined : { role, fields }
}

export function anyMessage(value: unknown): AnyMessage | undefined {
  const fields = json.fields(value)
  const role = roles.get(fields.role)
  const message = role === undefined ? langChainMessage(value) : { role, fields }
  return message && { ...message, parts: partsOf(message.role, message.fields) }
}

function partsOf(role: AnyMessage['role'], fields: json.Fields): MessagePart[] {
  const { content, name, parts, status } = fields
  if (role === 'tool' && !Array.isArray(parts)) {
    const id = fields.tool_call_id ?? fields.toolCallId
    const failed = status === 'error' || undefined
    if (id !== undefined || !json.list(content).some((part) => partOf(part).is === 'result'))
      return [{ is: 'result', id, name: json.text(name), output: content, failed }]
  }
  const thoughts = [fields.reasoning_content, json.at(fields.additional_kwargs, 'reasoning_content')]
  const calls = [...json.list(fields.tool_calls), ...json.list(fields.invalid_tool_calls)]
  return [
    ...thoughts.filter((each) => json.text(each)).map((text) => ({ type: 'reasoning', text })),
    ...(typeof content === 'string' ? [content] : json.list(parts ?? content)),
    ...calls.map((call) => ({ ...json.object(call), type: 'tool_call' })),
  ].map(partOf)
}

function partOf(value: unknown): MessagePart {
  const part = json.fields(typeof value === 'string' ? { type: 'text', text: value } : value)
  const type = (json.text(part.type) ?? '').replaceAll('-', '_')
  const texts = [part.text, part.content, part.thinking, part.reasoning]
  const text = texts.find((each) => typeof each === 'string')
  const called = json.object(part.function) ?? part
  const name = json.text(called.name) ?? json.text(part.toolName)
  const id = part.id ?? part.toolCallId ?? part.tool_call_id ?? part.tool_use_id
  if (/^(?:input_|output_)?text$/.test(type) && text !== undefined) return { is: 'text', text }
  if (/^(?:reasoning|thinking)$/.test(type)) return { is: 'reasoning', text: text ?? '' }
  if (/^(?:tool_call|tool_use|function)$/.test(type) && name !== undefined) {
    const input = callArguments(called.arguments ?? called.args ?? called.input)
    return { is: 'call', id: part.toolCallId ?? id, name, input }
  }
  if (/^tool_(?:call_response|result)$/.test(type)) {
    const output = part.response ?? part.result ?? part.output ?? part.content
    const failed = part.is_error === true || undefined
    return { is: 'result', id: part.tool_use_id ?? id, name, output, failed }
  }
  return /image|file|blob|uri|audio|document/.test(type) ? { is: 'image' } : { is: 'other', raw: value }
}

/** Writes messages that a trace mostly repeats in each model call: each part once per occurrence. */
export function createHistory(writer: Writer) {
  const written = new Map<string, number>()
  return {
    writer,
    write(messages: readonly Omit<AnyMessage, 'fields'>[], counts = new Map<string, number>()): void {
      for (const { parts, role } of messages) {
        const fresh = parts.filter((part) => {
          // Calls and results have distinct ids; texts may occur twice.
          const id = part.is === 'call' || part.is === 'result' ? json.text(part.id) : undefined
          const key = id === undefined ? `${role} ${JSON.stringify(part)}` : `${part.is} ${id}`
          const count = (counts.get(key) ?? 0) + 1
          counts.set(key, count)
          if (count <= (written.get(key) ?? 0)) return false
          written.set(key, count)
          return true
        })
        writeMessage(writer, role, fresh)
      }
    },
  }
}

export function writeMessage(writer: Writer, role: AnyMessage['role'], parts: readonly MessagePart[]): void {
  const texts = parts.flatMap((part) => (part.is === 'text' ? part.text : []))
  const images = parts.filter(({ is }) => is === 'image').length
  if (role === 'system') writeSystem(writer, texts.join('\n'))
  else if (role === 'user' && (texts.length > 0 || images > 0)) writeUser(writer, texts, images)
  for (const part of parts) {
    if (part.is === 'call') writer.call(part)
    else if (part.is === 'result') writeAnyResult(writer, part)
    else if (part.is === 'reasoning') writer.think(part.text)
    else if (part.is === 'other') writer.other(part.raw, 'message part')
    else if (part.is === 'text' && (role === 'assistant' || role === 'tool')) writer.say(part.text)
  }
  writer.out.absorb('empty message')
}

/** Writes the output of a tool, unless it was written before. Attributes hold JSON, so that a text is quoted. */
function writeAnyResult(writer: Writer, part: Extract<MessagePart, { is: 'result' }>): void {
  const { id, name, output, failed } = part
  const isRepeated = writer.peek(id, name) === undefined && writer.callIds.has(json.text(id) ?? '')
  const parsed = typeof output === 'string' && output.startsWith('"') ? json.parse(output) : undefined
  if (isRepeated) writer.out.absorb('repeated result')
  else writeOutput(writer, { id, name }, typeof parsed === 'string' ? parsed : output, failed)
}

const places = 'messages message generations choices output outputs input inputs prompt'.split(' ')

export function messagesIn(value: unknown, role: 'user' | 'assistant'): AnyMessage[] {
  if (typeof value === 'string') {
    const parsed = /^\s*[[{]/.test(value) ? json.parse(value) : undefined
    if (parsed !== undefined) return messagesIn(parsed, role)
    return value.trim() === '' ? [] : [{ role, fields: {}, parts: [{ is: 'text', text: value }] }]
  }
  if (Array.isArray(value)) return value.flatMap((item) => messagesIn(item, role))
  const own = anyMessage(value)
  if (own !== undefined) return [own]
  const object = json.fields(value)
  const found = places.map((place) => (Object.hasOwn(object, place) ? messagesIn(object[place], role) : []))
  return found.find((messages) => messages.length > 0) ?? []
}
