import { asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import {
  type Conversation,
  callArguments,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { outputText } from '../shared/content.ts'

/** A message in the form of any framework: of LangChain, of OpenAI's chat, of the AI SDK, of OpenTelemetry. */
export interface AnyMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly MessagePart[]
  /** Its own fields, without what its class or its type wraps around them. */
  readonly fields: JsonObject
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

const roles = new Map<string, AnyMessage['role']>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

/** The class of a LangChain message: `HumanMessage` and `AIMessageChunk`, or `human` and `ai`. */
function langChainRole(value: unknown): AnyMessage['role'] | undefined {
  const name = /^([a-z]+?)(?:Message)?(?:Chunk)?$/i.exec(asText(value) ?? '')?.[1]?.toLowerCase() ?? ''
  return /^(?:human|ai|system|tool|function)$/.test(name) ? roles.get(name) : undefined
}

/**
 * A message of LangChain: as its class writes it to JSON (`lc`, `kwargs`), as it is stored (`{type, data}`), or as the
 * server of LangGraph gives it (`{type, content}`).
 */
export function langChainMessage(value: unknown): Omit<AnyMessage, 'parts'> | undefined {
  const { content, data, id, kwargs, lc, type } = asObject(value) ?? {}
  const own = lc === 1 && type === 'constructor' ? asObject(kwargs) : undefined
  const role = langChainRole(own === undefined ? type : asList(id).at(-1))
  const fields = own ?? asObject(data) ?? (content === undefined ? undefined : asObject(value))
  return role === undefined || fields === undefined ? undefined : { role, fields }
}

export function anyMessage(value: unknown): AnyMessage | undefined {
  const fields = asObject(value) ?? {}
  const role = roles.get(asText(fields.role) ?? '')
  const message = role === undefined ? langChainMessage(value) : { role, fields }
  return message && { ...message, parts: partsOf(message.role, message.fields) }
}

function partsOf(role: AnyMessage['role'], fields: JsonObject): MessagePart[] {
  const { content, name, parts, status } = fields
  if (role === 'tool' && !Array.isArray(parts)) {
    const id = fields.tool_call_id ?? fields.toolCallId
    const nested = asList(content).filter((part) => partOf(part).is === 'result')
    if (id !== undefined || nested.length === 0)
      return [
        { is: 'result', id, name: asText(name), output: content, failed: status === 'error' || undefined },
      ]
  }
  const thoughts = [fields.reasoning_content, asObject(fields.additional_kwargs)?.reasoning_content]
  const calls = [...asList(fields.tool_calls), ...asList(fields.invalid_tool_calls)]
  return [
    ...thoughts.flatMap((text) => (asText(text) === undefined ? [] : [partOf({ type: 'reasoning', text })])),
    ...(typeof content === 'string' ? [{ type: 'text', text: content }] : asList(parts ?? content)).map(
      partOf,
    ),
    ...calls.map((call) => partOf({ ...asObject(call), type: 'tool_call' })),
  ]
}

function partOf(value: unknown): MessagePart {
  const part = asObject(value) ?? (typeof value === 'string' ? { type: 'text', text: value } : {})
  const type = (asText(part.type) ?? '').replaceAll('-', '_')
  const text = [part.text, part.content, part.thinking, part.reasoning].find(
    (each) => typeof each === 'string',
  )
  const called = asObject(part.function) ?? part
  const name = asText(called.name) ?? asText(part.toolName)
  const id = part.id ?? part.toolCallId ?? part.tool_call_id ?? part.tool_use_id
  if (/^(?:input_|output_)?text$/.test(type) && text !== undefined) return { is: 'text', text: String(text) }
  if (/^(?:reasoning|thinking)$/.test(type)) return { is: 'reasoning', text: String(text ?? '') }
  if (/^(?:tool_call|tool_use|function)$/.test(type) && name !== undefined)
    return {
      is: 'call',
      id: part.toolCallId ?? id,
      name,
      input: callArguments(called.arguments ?? called.args ?? called.input),
    }
  if (/^tool_(?:call_response|result)$/.test(type)) {
    const output = part.response ?? part.result ?? part.output ?? part.content
    return {
      is: 'result',
      id: part.tool_use_id ?? id,
      name,
      output,
      failed: part.is_error === true || undefined,
    }
  }
  return /image|file|blob|uri|audio|document/.test(type) ? { is: 'image' } : { is: 'other', raw: value }
}

/** Writes messages of which a trace repeats most in each call of a model: each part once for each time it was said. */
export function createHistory(conversation: Conversation) {
  const written = new Map<string, number>()
  return {
    conversation,
    /** Writes the parts that are new; `counts` are those of the same call of a model so far. */
    write(messages: readonly AnyMessage[], counts = new Map<string, number>()): void {
      for (const { parts, role } of messages) {
        const fresh = parts.filter((part) => {
          const key = keyOf(role, part)
          const count = (counts.get(key) ?? 0) + 1
          counts.set(key, count)
          if (count <= (written.get(key) ?? 0)) return false
          written.set(key, count)
          return true
        })
        writeMessage(conversation, role, fresh)
      }
    },
  }
}

/** Calls and results have ids, which differ from each other; texts may be said twice. */
function keyOf(role: AnyMessage['role'], part: MessagePart): string {
  if ((part.is === 'call' || part.is === 'result') && asText(part.id) !== undefined)
    return `${part.is} ${part.id}`
  return `${role} ${JSON.stringify(part)}`
}

export function writeMessage(
  conversation: Conversation,
  role: AnyMessage['role'],
  parts: readonly MessagePart[],
): void {
  const texts = parts.flatMap((part) => (part.is === 'text' ? part.text : []))
  const images = parts.filter(({ is }) => is === 'image').length
  if (role === 'system') writeStanding(conversation, 'system', texts.join('\n'))
  else if (role === 'user' && (texts.length > 0 || images > 0)) writeUser(conversation, texts, images)
  for (const part of parts) {
    if (part.is === 'call') conversation.call(part)
    else if (part.is === 'result') writeOutput(conversation, part)
    else if (part.is === 'reasoning') conversation.think(part.text)
    else if (part.is === 'other') conversation.other(part.raw, 'message part')
    else if (part.is === 'text' && (role === 'assistant' || role === 'tool')) conversation.say(part.text)
  }
  conversation.out.absorb('empty message')
}

/** Writes the output of a tool, unless it was written before. */
function writeOutput(
  conversation: Conversation,
  { id, name, output, failed }: Extract<MessagePart, { is: 'result' }>,
): void {
  const call = conversation.take(id, name)
  if (call === undefined && conversation.callIds.has(asText(id) ?? '')) {
    conversation.out.absorb('repeated result')
    return
  }
  const { images, text } = outputText(typeof output === 'string' ? plainOf(output) : output)
  writeResult(conversation, call, asText(id), { text, ...outcomeOf(text, failed), images })
}

/** Attributes hold JSON, so that a text is in quotes. */
function plainOf(output: string): string {
  const parsed = output.startsWith('"') ? parseJson(output) : undefined
  return typeof parsed === 'string' ? parsed : output
}

const places = 'messages message generations choices output outputs input inputs prompt'.split(' ')

/** The messages in the input or the output of a model; a bare text is one of `role`. */
export function messagesIn(value: unknown, role: 'user' | 'assistant'): AnyMessage[] {
  if (typeof value === 'string') {
    const parsed = /^\s*[[{]/.test(value) ? parseJson(value) : undefined
    if (parsed !== undefined) return messagesIn(parsed, role)
    return value.trim() === '' ? [] : [{ role, fields: {}, parts: [{ is: 'text', text: value }] }]
  }
  if (Array.isArray(value)) return value.flatMap((item) => messagesIn(item, role))
  const own = anyMessage(value)
  if (own !== undefined) return [own]
  const object = asObject(value) ?? {}
  const found = places.map((place) => (Object.hasOwn(object, place) ? messagesIn(object[place], role) : []))
  return found.find((messages) => messages.length > 0) ?? []
}
