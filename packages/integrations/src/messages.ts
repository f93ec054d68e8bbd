import type { TokenCounter } from '@tenfold/core'

/**
 * The properties of a message that decide where a conversation can be cut, for all message types: Anthropic, OpenAI
 * Chat and Responses, AI SDK, LangChain, OpenAI Agents.
 */
interface MessageShape {
  readonly isSystem: boolean
  /** Ids of calls that the message makes or answers. Messages that share one must not be separated. */
  readonly ids: readonly string[]
  /** The Responses API rejects a reasoning item without the item that follows it. */
  readonly needsNext: boolean
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** The fields of a message. Serialized and stored LangChain messages have them one level deeper. */
function messageFields(message: unknown): Fields {
  const outer = fieldsOf(message)
  if (outer.lc === 1) return { ...fieldsOf(outer.kwargs), type: nameOf(outer.id) }
  return isStored(outer) ? { ...fieldsOf(outer.data), type: outer.type } : outer
}

function isStored({ data, type }: Fields): boolean {
  return typeof data === 'object' && /^(?:human|ai|system|tool)$/.test(String(type))
}

/** The class in a serialized id, such as `['langchain_core', 'messages', 'SystemMessage']`. */
function nameOf(id: unknown): string {
  return String(Array.isArray(id) ? id.at(-1) : '')
    .replace(/Message(?:Chunk)?$/, '')
    .toLowerCase()
}

/** The type field of a LangChain message or of an item. */
function typeOf(message: unknown, { _getType: own, type }: Fields): unknown {
  return typeof own === 'function' ? own.call(message) : type
}

const partLists = ['content', 'parts', 'tool_calls', 'toolCalls'] as const
const idFields = ['call_id', 'callId', 'tool_call_id', 'tool_use_id', 'toolCallId', 'approvalId'] as const
const isCall = /^(?:tool_use|server_tool_use|mcp_tool_use|tool_call|function)$/

/** Returns the properties of a message, of any type, that a cut must respect. */
export function shapeOf(message: unknown): MessageShape {
  const fields = messageFields(message)
  const type = typeOf(message, fields)
  const parts = partLists.flatMap((name) => (Array.isArray(fields[name]) ? fields[name].map(fieldsOf) : []))
  const named = [fields, ...parts].flatMap((part) => idFields.map((name) => part[name]))
  // Any other `id` identifies the message or part itself.
  const own = parts.map((part) =>
    part.type === undefined || isCall.test(String(part.type)) ? part.id : undefined,
  )
  return {
    isSystem: fields.role === 'system' || fields.role === 'developer' || type === 'system',
    ids: [...named, ...own].filter((id) => typeof id === 'string'),
    needsNext: type === 'reasoning',
  }
}

/**
 * Returns the places where a conversation can be cut without separating a call from its result: the indexes, in order,
 * of messages that may be the first one kept.
 */
export function cutPlaces(messages: readonly unknown[]): number[] {
  const shapes = messages.map(shapeOf)
  const lastUse = new Map<string, number>()
  for (const [index, { ids }] of shapes.entries()) for (const id of ids) lastUse.set(id, index)
  const places: number[] = []
  // A call that began earlier is open until the message at this index.
  let openUntil = 0
  for (const [index, { ids, needsNext }] of shapes.entries()) {
    if (index > openUntil || index === 0) places.push(index)
    for (const id of ids) openUntil = Math.max(openUntil, lastUse.get(id) ?? 0)
    if (needsNext) openUntil = Math.max(openUntil, index + 1)
  }
  return places
}

/** Returns a user message of the same type as the given messages. */
export function userMessage(text: string, messages: readonly object[]): object {
  if (messages.some((message) => Array.isArray(fieldsOf(message).parts)))
    return { id: `tenfold-${messages.length}`, role: 'user', parts: [{ type: 'text', text }] }
  // LangChain has four forms of a message; frameworks accept the plain one in place of their own.
  const human = messages.find((message) => typeOf(message, messageFields(message)) === 'human')
  if (human === undefined) return { role: 'user', content: text }
  const { data, id, lc, type } = fieldsOf(human)
  const form: unknown = Object.getPrototypeOf(human)?.constructor ?? Object
  if (typeof form === 'function' && form !== Object) return Reflect.construct(form, [text])
  if (lc === 1) return { lc, type, id, kwargs: { content: text } }
  return data === undefined ? { type, content: text } : { type, data: { content: text } }
}

/** Id of the bundle whose brief a message contains. Undefined for other messages. */
export function briefOf(message: unknown): string | undefined {
  const fields = messageFields(message)
  // A tool's output may imitate a brief.
  if (fields.role !== 'user' && typeOf(message, fields) !== 'human') return undefined
  const parts = [fields.content, fields.parts].flatMap((value) =>
    Array.isArray(value) ? value.map(fieldsOf) : [{ text: value }],
  )
  const text = parts.map((part) => part.text).find((each) => typeof each === 'string')
  return /^# Resume: .*\nRecord of the earlier messages .* can be looked up in bundle (\S+);/.exec(
    text ?? '',
  )?.[1]
}

// Fields that are not sent to the model as text, or that LangChain messages have twice.
const notText =
  /^(?:data|image|image_url|file_data|encrypted_content|signature|thoughtSignature|provider\w+|(?:response|usage)_metadata|additional_kwargs|lc_\w+)$/

/** Counts the tokens of each message. Does not count texts again that the previous call counted. */
export function messageCounter({ count }: TokenCounter): (messages: readonly unknown[]) => number[] {
  let known = new Map<string, number>()
  return (messages) => {
    const seen = new Map<string, number>()
    const countText = (text: string): number => {
      const tokens = seen.get(text) ?? known.get(text) ?? count(text)
      seen.set(text, tokens)
      return tokens
    }
    const countValue = (value: unknown): number => {
      if (typeof value === 'string') return countText(value)
      if (Array.isArray(value)) return sum(value.map(countValue))
      return sum(
        Object.entries(fieldsOf(value)).map(([name, each]) => (notText.test(name) ? 0 : countValue(each))),
      )
    }
    const counts = messages.map((message) => countValue(messageFields(message)))
    known = seen
    return counts
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
