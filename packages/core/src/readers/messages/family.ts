import * as json from '../../session/json.ts'
import { byWord } from '../../tools/by-word.ts'
import { isStepResult } from '../ai-sdk/model-message.ts'
import { hasXmlCalls } from '../openai-chat/messages.ts'
import type { LogHead } from '../reader/reader.ts'
import { langChainMessage } from '../traces/any-message.ts'

export type MessageFamily =
  | 'anthropic-messages'
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-agents'
  | 'ai-sdk'
  | 'langchain'

type FamilyGuess = { readonly family: MessageFamily; readonly score: number }

const maxMessages = 200

// Keys around or in messages that mark the log of an agent with its own reader.
const agentContainer =
  /^(?:trajectory_format|trajectory|history|info|projectHash|loglines|system_prompt|conversation_id|parentUuid|payload|instance_id|working_dir|schema_version)$/
const agentMessage =
  /^(?:ts|message_type|is_demo|agent|extra|parentUuid|sessionId|session_id|message|created|info|payload|kind|projectHash)$/

/** Cached, because each reader of messages asks for the family of the same log. */
const guesses = new WeakMap<LogHead, FamilyGuess | undefined>()

export function messageFamily(head: LogHead): FamilyGuess | undefined {
  if (!guesses.has(head)) guesses.set(head, familyOf(head))
  return guesses.get(head)
}

function familyOf({ document, records }: LogHead): FamilyGuess | undefined {
  if (document !== undefined) return ofValue(document) ?? ofConversations(json.list(document))
  const objects = json.objects(records)
  return ofMessages(objects, {}, true) ?? ofConversations(objects)
}

/** Returns the family of most conversations in a log. */
function ofConversations(values: readonly unknown[]): FamilyGuess | undefined {
  const guesses = values.slice(0, 20).map(ofValue)
  const found = guesses.filter((guess) => guess !== undefined)
  const [first] = found
  if (first === undefined || found.length <= guesses.length / 2) return undefined
  return found.find(({ score }) => score > first.score) ?? first
}

function ofValue(value: unknown): FamilyGuess | undefined {
  if (Array.isArray(value)) return ofMessages(value, {}, true)
  const object = json.object(value)
  if (object === undefined) return undefined
  const body = json.object(object.body) ?? json.object(object.request)
  if (body !== undefined) return ofValue(body)
  const answer = ofAnswer(object) ?? ofAnswer(json.fields(object.response))
  if (answer !== undefined) return answer
  // Rows of SWE-smith: messages with calls as text.
  const said = json.list(object.messages).slice(0, maxMessages)
  const texts = said.map((message) => json.text(message, 'content'))
  if (json.text(object.instance_id) !== undefined && hasXmlCalls(texts))
    return { family: 'openai-chat', score: 0.85 }
  if (!Array.isArray(object.traj) && Object.keys(object).some((key) => agentContainer.test(key)))
    return undefined
  if (/^(?:system|user|assistant): /.test(json.text(object.messages_display) ?? ''))
    return { family: 'openai-chat', score: 0.8 }
  if (Array.isArray(object.input) && json.texts([object.model, object.instructions]).length > 0)
    return ofMessages(object.input, object, false) && { family: 'openai-responses', score: 0.85 }
  const kept = json.object(object.values) ?? json.object(object.channel_values)
  if (Array.isArray(object.generatedItems)) return { family: 'openai-agents', score: 0.95 }
  const messages = [object.messages, object.traj, kept?.messages].find(Array.isArray)
  return messages === undefined ? undefined : ofMessages(messages, object, false)
}

function ofAnswer(answer: json.Fields): FamilyGuess | undefined {
  const { choices, content, object, output, role, type } = answer
  if (object === 'response' && Array.isArray(output)) return { family: 'openai-responses', score: 0.95 }
  if (object === 'chat.completion' && Array.isArray(choices)) return { family: 'openai-chat', score: 0.95 }
  const isWhole = 'usage' in answer || 'stop_reason' in answer
  const isAnswer = type === 'message' && role === 'assistant' && Array.isArray(content)
  return isAnswer && isWhole ? { family: 'anthropic-messages', score: 0.9 } : undefined
}

type Mark = MessageFamily | 'message' | 'foreign' | 'textLists' | 'strings'

function ofMessages(list: readonly unknown[], holder: json.Fields, isBare: boolean): FamilyGuess | undefined {
  const sample = list.slice(0, maxMessages)
  const counts = new Map<Mark, number>()
  for (const value of sample) {
    for (const mark of marksOf(json.object(value), isBare)) counts.set(mark, (counts.get(mark) ?? 0) + 1)
    if (counts.has('foreign')) return undefined
  }
  const count = (mark: Mark): number => counts.get(mark) ?? 0
  if (count('message') === 0 || count('message') < sample.length * 0.6) return undefined
  const claude = /^(?:anthropic[./])?claude/.test(json.text(holder.model) ?? '')
  const system = 'system' in holder || 'max_tokens_to_sample' in holder
  for (const family of ['langchain', 'openai-agents', 'openai-responses', 'ai-sdk'] as const)
    if (counts.has(family)) return { family, score: 0.85 }
  if (counts.has('anthropic-messages') && count('anthropic-messages') >= count('openai-chat'))
    return { family: 'anthropic-messages', score: 0.85 }
  if (counts.has('openai-chat')) return { family: 'openai-chat', score: 0.85 }
  if (system || claude) return { family: 'anthropic-messages', score: 0.8 }
  if (count('textLists') > count('strings')) return { family: 'anthropic-messages', score: 0.6 }
  return counts.has('strings') ? { family: 'openai-chat', score: 0.6 } : undefined
}

const roles = /^(?:user|assistant|system|developer|tool|function)$/

function* marksOf(message: json.Fields | undefined, isBare: boolean): Generator<Mark> {
  if (message === undefined) return
  const { role, content, parts, type } = message
  const answer = role === undefined ? ofAnswer(message)?.family : undefined
  const isItem = typeof type === 'string' && responseItemTypes.test(type) && type !== 'message'
  if (langChainMessage(message) !== undefined) yield* ['message', 'langchain'] as const
  else if (isAgentsItem(message)) yield* ['message', 'openai-agents'] as const
  else if (isStepResult(message)) yield* ['message', 'ai-sdk'] as const
  else if (isItem) yield* ['message', 'openai-responses'] as const
  else if (answer !== undefined)
    yield* ['message', answer === 'openai-chat' ? answer : 'openai-responses'] as const
  else if (typeof role !== 'string' || !roles.test(role)) {
    if (type !== undefined || 'payload' in message || 'record_type' in message) yield 'foreign'
  } else {
    if (Object.keys(message).some((key) => agentMessage.test(key))) yield 'foreign'
    if (isBare && role === 'user' && isWrapped(content)) yield 'foreign'
    yield 'message'
    if (role === 'function' || role === 'developer' || 'tool_call_id' in message) yield 'openai-chat'
    if (Array.isArray(message.tool_calls) || json.object(message.function_call)) yield 'openai-chat'
    if ('reasoning_content' in message || role === 'system') yield 'openai-chat'
    if (Array.isArray(message.toolInvocations)) yield 'ai-sdk'
    for (const part of json.list(parts))
      yield sdkParts.test(json.text(part, 'type') ?? '') ? 'ai-sdk' : 'foreign'
    if (typeof content === 'string') yield 'strings'
    else yield* contentMarks(json.list(content))
  }
}

/** Whether a message has tags that agents put around the user's text before they store it. */
function isWrapped(content: unknown): boolean {
  const texts = Array.isArray(content) ? content.map((part) => json.text(part, 'text')) : [json.text(content)]
  const isBegun = /^<(?:task|feedback|user_query|returncode)>/.test(texts[0] ?? '')
  return isBegun || /<environment_details>/.test(texts.at(-1) ?? '')
}

const sdkParts =
  /^(?:text|reasoning|file|step-start|source-url|source-document|dynamic-tool|tool-[\w.-]+|data-[\w.-]+|tool-invocation|source)$/

const partMarks = byWord<Mark>({
  foreign: 'toolRequest toolResponse toolCall toolConfirmationRequest systemNotification',
  'anthropic-messages':
    'tool_use tool_result thinking redacted_thinking server_tool_use mcp_tool_use compaction container_upload document search_result',
  'openai-chat': 'image_url input_audio refusal',
  'openai-responses': 'input_text output_text input_image input_file',
  'ai-sdk': 'tool-call tool-result tool-approval-request tool-approval-response reasoning',
})

function* contentMarks(content: readonly unknown[]): Generator<Mark> {
  const parts = content.map((value) => json.fields(value))
  for (const part of parts) {
    const type = json.text(part.type) ?? ''
    const isSent = /_tool_result$/.test(type) || (type === 'image' && json.object(part.source) !== undefined)
    const mark = partMarks.get(type) ?? (isSent ? 'anthropic-messages' : undefined)
    if (mark !== undefined) yield mark
    else if (type === 'file' && 'mediaType' in part) yield 'ai-sdk'
  }
  if (parts.length > 0 && parts.every(({ type }) => type === 'text')) yield 'textLists'
}

/** Types of the items of OpenAI's Responses API. https://platform.openai.com/docs/api-reference/responses/object */
export const responseItemTypes =
  /^(?:message|reasoning|function_call|function_call_output|custom_tool_call|custom_tool_call_output|local_shell_call|local_shell_call_output|shell_call|shell_call_output|apply_patch_call|apply_patch_call_output|web_search_call|file_search_call|code_interpreter_call|computer_call|computer_call_output|image_generation_call|mcp_list_tools|mcp_call|mcp_approval_request|mcp_approval_response|tool_search_call|tool_search_output|compaction|compaction_summary|item_reference)$/

/** Whether a value is an item of OpenAI's Agents SDK, which uses the names of the Responses API in camel case. */
export function isAgentsItem(value: unknown): boolean {
  const { callId, providerData, rawItem, type } = json.fields(value)
  if (rawItem !== undefined) return isAgentsItem(rawItem) || json.text(rawItem, 'type') !== undefined
  return json.text(type) !== undefined && (json.text(callId) ?? json.object(providerData)) !== undefined
}
