import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import {
  type Conversation,
  callArguments,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { messageTime } from '../shared/time.ts'
import { byKind } from '../shared/writer.ts'

export function isChatMessage(value: unknown): boolean {
  return /^(?:system|developer|user|assistant|tool|function)$/.test(asText(asObject(value)?.role) ?? '')
}

export function readChatMessage(conversation: Conversation, message: JsonObject): boolean {
  conversation.time = messageTime(message)
  return readRole(conversation, message.role, message)
}

const readRole = byKind<Conversation>({
  'tool function'(conversation, { content, name, tool_call_id }) {
    const id = asText(tool_call_id)
    const { text, images } = outputText(content)
    writeResult(conversation, conversation.take(id, asText(name)), id, { text, ...outcomeOf(text), images })
  },
  'system developer user assistant'(conversation, message, role) {
    const { texts, images, others } = contentParts(message.content)
    if (role === 'assistant') readAnswer(conversation, message, texts)
    else if (role === 'user') readUser(conversation, texts, images)
    else writeStanding(conversation, 'system', texts.join('\n'))
    for (const other of others) conversation.other(other, asText(asObject(other)?.type) ?? 'message-part')
    conversation.out.absorb('empty message')
  },
})

/** Text under the user's name; it is a result if the model wrote its call as text. */
function readUser(conversation: Conversation, texts: readonly string[], images: number): void {
  const result = conversation.open.size === 0 ? undefined : xmlResult(texts.join('\n'))
  if (texts.length === 0 && images === 0) return
  if (result === undefined) {
    writeUser(conversation, texts, images)
    return
  }
  const call = conversation.take(undefined, result.name) ?? conversation.take(undefined)
  const { text } = result
  writeResult(conversation, call, undefined, { text, ...outcomeOf(text), images })
}

function readAnswer(conversation: Conversation, message: JsonObject, texts: readonly string[]): void {
  conversation.think(reasoningOf(message))
  const text = [...texts, asText(message.refusal), asText(asObject(message.audio)?.transcript)]
    .filter(Boolean)
    .join('\n')
  if (hasXmlCalls([text]))
    for (const part of splitXmlCalls(text)) {
      if (part.kind === 'words') conversation.say(part.text)
      else conversation.call({ name: part.name, input: part.input })
    }
  else conversation.say(text)
  const { function_call } = message
  const old = function_call === null || function_call === undefined ? [] : [{ function: function_call }]
  for (const value of [...asList(message.tool_calls), ...old]) {
    const call = asObject(value)
    // Custom tools take raw text instead of arguments.
    const tool = asObject(call?.function) ?? asObject(call?.custom)
    const name = asText(tool?.name)
    if (tool === undefined || name === undefined) conversation.other(value, 'tool_call')
    else conversation.call({ id: call?.id, name, input: callArguments(tool.arguments ?? tool.input) })
  }
}

/** Reasoning under the names that different servers give it: DeepSeek and Qwen, OpenRouter. */
function reasoningOf(message: JsonObject): string {
  const texts = asList(message.reasoning_details).flatMap((value) => {
    const detail = asObject(value)
    return asText(detail?.text) ?? asText(detail?.summary) ?? []
  })
  return asText(message.reasoning_content) ?? asText(message.reasoning) ?? texts.join('\n')
}

/** Counts the usage of an answer, or of the chunk that ends a stream. */
export function addChatUsage(conversation: Conversation, answer: JsonObject): void {
  const usage = asObject(answer.usage)
  if (usage === undefined) return
  const key = asText(answer.id) ?? `answer-${++conversation.answers}`
  conversation.usage(key, chatUsage(usage), asText(answer.model))
}

/** The prompt's tokens include those of the cache, and the answer's those of the reasoning. */
export function chatUsage(usage: JsonObject) {
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cacheReadTokens: asObject(usage.prompt_tokens_details)?.cached_tokens,
    reasoningTokens: asObject(usage.completion_tokens_details)?.reasoning_tokens,
  }
}

/** A part of an answer: plain text, or a tool call that the model wrote as XML. */
type XmlPart =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: Readonly<Record<string, string>> }

const opening = /^[ \t]*<function=([\w.-]{1,80})>/gm
const closing = '</function>'

/**
 * Splits an answer at the tool calls that models without an API for tools write, in the form of SWE-smith and OpenHands:
 * `<function=bash><parameter=command>ls</parameter></function>`. A call that breaks off keeps its text so far.
 */
function splitXmlCalls(text: string): XmlPart[] {
  const parts: XmlPart[] = []
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const inside = match.index + match[0].length
    const found = text.indexOf(closing, inside)
    const end = found === -1 ? text.length : found
    pushWords(parts, text.slice(from, match.index))
    parts.push({ kind: 'call', name: match[1] ?? '', input: parametersOf(text.slice(inside, end)) })
    from = Math.min(text.length, end + closing.length)
    opening.lastIndex = from
  }
  pushWords(parts, text.slice(from))
  return parts
}

function pushWords(parts: XmlPart[], text: string): void {
  if (text.trim() !== '') parts.push({ kind: 'words', text: text.trim() })
}

/** A value ends before the next parameter, since the content of a file may hold the end tag itself. */
function parametersOf(body: string): Record<string, string> {
  const starts = [...body.matchAll(/^[ \t]*<parameter=([\w.-]{1,80})>\n?/gm)]
  return Object.fromEntries(
    starts.map(({ 0: tag, 1: name = '', index }, number) => {
      const rest = body.slice(index + tag.length, starts[number + 1]?.index ?? body.length)
      const end = rest.lastIndexOf('</parameter>')
      return [name, (end === -1 ? rest : rest.slice(0, end)).replace(/\n$/, '')]
    }),
  )
}

const results = /^(?:OBSERVATION:|EXECUTION RESULT of \[([\w.-]{1,80})\]:)[ \t]*\n?/

/** The result of such a call, which is given under the user's name; `undefined` if the text is none. */
function xmlResult(text: string): { readonly name?: string; readonly text: string } | undefined {
  const start = results.exec(text)
  if (start === null) return undefined
  const rest = text.slice(start[0].length)
  return start[1] === undefined ? { text: rest } : { name: start[1], text: rest }
}

export function hasXmlCalls(texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && /^[ \t]*<function=[\w.-]{1,80}>/m.test(text))
}
