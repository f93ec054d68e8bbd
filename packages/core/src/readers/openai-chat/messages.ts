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
import { hasXmlCalls, splitXmlCalls, xmlResult } from './xml-calls.ts'

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
