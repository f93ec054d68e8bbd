import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import {
  type Conversation,
  callArguments,
  takeCall,
  writeAnswer,
  writeCall,
  writeOther,
  writeReasoning,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { outcomeOf } from '../messages/outcome.ts'
import { messageTime } from '../messages/time.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { hasXmlCalls, splitXmlCalls, xmlResult } from './xml-calls.ts'

const roles = new Set<unknown>(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

/** Whether a value is a message, by its role. */
export function isChatMessage(value: unknown): boolean {
  return roles.has(asObject(value)?.role)
}

/** Reads one message; returns `false` if its role or content is of an unknown kind. */
export function readChatMessage(conversation: Conversation, message: JsonObject): boolean {
  const { role } = message
  if (!roles.has(role)) return false
  if (role === 'tool' || role === 'function') {
    conversation.time = messageTime(message)
    readResult(conversation, message)
    return true
  }
  const parts = contentParts(message.content)
  conversation.time = messageTime(message)
  if (role === 'assistant') readAnswer(conversation, message, parts.texts)
  else if (role === 'user') {
    if (parts.texts.length > 0 || parts.images > 0) readUser(conversation, parts.texts, parts.images)
  } else writeStanding(conversation, 'system', parts.texts.join('\n'))
  for (const other of parts.others)
    writeOther(conversation, asText(asObject(other)?.type) ?? 'message-part', other)
  conversation.out.absorb('empty message')
  return true
}

/** Text under the user's name; it is a result if the model wrote its call as text. */
function readUser(conversation: Conversation, texts: readonly string[], images: number): void {
  const result = conversation.open.size === 0 ? undefined : xmlResult(texts.join('\n'))
  if (result === undefined) {
    writeUser(conversation, texts, images)
    return
  }
  const call = takeCall(conversation, undefined, result.name) ?? takeCall(conversation, undefined)
  const { text } = result
  writeResult(conversation, call, undefined, { text, ...outcomeOf(text), ...(images > 0 && { images }) })
}

function readAnswer(conversation: Conversation, message: JsonObject, texts: readonly string[]): void {
  writeReasoning(conversation, reasoningOf(message))
  const text = [...texts, asText(message.refusal), asText(asObject(message.audio)?.transcript)]
    .filter(Boolean)
    .join('\n')
  if (hasXmlCalls([text]))
    for (const part of splitXmlCalls(text)) {
      if (part.kind === 'words') writeAnswer(conversation, part.text)
      else writeCall(conversation, undefined, part.name, part.input)
    }
  else writeAnswer(conversation, text)
  const calls = [...asList(message.tool_calls)]
  if (message.function_call !== null && message.function_call !== undefined)
    calls.push({ function: message.function_call })
  for (const value of calls) {
    const call = asObject(value)
    // Custom tools take raw text instead of arguments.
    const tool = asObject(call?.function) ?? asObject(call?.custom)
    const name = asText(tool?.name)
    if (tool === undefined || name === undefined) writeOther(conversation, 'tool_call', value)
    else writeCall(conversation, asText(call?.id), name, callArguments(tool.arguments ?? tool.input))
  }
}

/** Reasoning under the names that different servers give it: DeepSeek and Qwen, OpenRouter. */
function reasoningOf(message: JsonObject): string {
  const plain = asText(message.reasoning_content) ?? asText(message.reasoning)
  if (plain !== undefined) return plain
  const texts = asList(message.reasoning_details).map((value) => {
    const detail = asObject(value)
    return asText(detail?.text) ?? asText(detail?.summary)
  })
  return texts.filter((text) => text !== undefined).join('\n')
}

function readResult(conversation: Conversation, message: JsonObject): void {
  const id = asText(message.tool_call_id)
  const call = takeCall(conversation, id, asText(message.name))
  const { text, images } = outputText(message.content)
  writeResult(conversation, call, id, { text, ...outcomeOf(text), ...(images > 0 && { images }) })
}
