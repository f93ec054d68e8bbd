import { asList, asObject, asText, type JsonObject } from '../session/json-values.ts'
import { type Conversation, writeUser } from './messages/conversation.ts'
import { isAgentsItem, responseItemTypes } from './messages/family.ts'
import { messageReader } from './messages/message-reader.ts'
import { readItem } from './openai-responses/items.ts'

const shapes = { isConversation: (value: unknown) => itemsOf(value) !== undefined, isLine: isItem }

/**
 * Reads items of OpenAI's Agents SDK: a `history`, what a session holds, `newItems`, lines of them, and the state of a
 * run (`RunState`). They are items of the Responses API in camel case. https://openai.github.io/openai-agents-js
 */
export const openaiAgentsReader = messageReader({
  name: 'openai-agents',
  shapes,
  createLog: (conversation) => ({
    ...shapes,
    readLine: (value) => readAgentsItem(conversation, value),
    readConversation(value) {
      for (const item of itemsOf(value) ?? []) readAgentsItem(conversation, item)
      for (const response of asList(asObject(value)?.modelResponses))
        countUsage(conversation, asObject(response))
      return undefined
    },
    finish: () => {},
  }),
})

function isItem(value: unknown): boolean {
  const { role, type } = asObject(value) ?? {}
  return isAgentsItem(value) || role !== undefined || responseItemTypes.has(asText(type) ?? '')
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  const state = asObject(value)
  const { originalInput, generatedItems } = state ?? {}
  if (Array.isArray(generatedItems)) {
    const asked =
      typeof originalInput === 'string' ? [{ role: 'user', content: originalInput }] : originalInput
    return [...asList(asked), ...generatedItems]
  }
  const list = [value, state?.history, state?.items, state?.newItems].map(asList)
  return list.find((items) => items.some(isAgentsItem))
}

function readAgentsItem(conversation: Conversation, value: unknown): void {
  const raw = asObject(asObject(value)?.rawItem ?? value)
  if (raw?.role === 'user' && typeof raw.content === 'string') writeUser(conversation, [raw.content])
  else if (raw === undefined || !readItem(conversation, responseItem(raw))) conversation.other(value)
}

const types = new Map<unknown, string>([
  ['function_call_result', 'function_call_output'],
  ['computer_call_result', 'computer_call_output'],
])

/** The item as the Responses API has it. */
function responseItem(item: JsonObject): JsonObject {
  const { callId, providerData, type } = item
  const served =
    type === 'hosted_tool_call'
      ? { ...asObject(providerData), type: asText(asObject(providerData)?.type) ?? item.name }
      : {}
  const runs = asList(item.output).map((value) => {
    const run = asObject(value)
    const outcome = asObject(run?.outcome)
    return outcome === undefined ? value : { ...run, outcome: { ...outcome, exit_code: outcome.exitCode } }
  })
  return {
    ...item,
    ...(Array.isArray(item.output) && { output: runs }),
    type: types.get(type) ?? type,
    ...(callId !== undefined && { call_id: callId }),
    ...served,
  }
}

function countUsage(conversation: Conversation, response: JsonObject | undefined): void {
  const usage = asObject(response?.usage)
  const [input, output] = [usage?.inputTokensDetails, usage?.outputTokensDetails].map((details) =>
    asObject(Array.isArray(details) ? details[0] : details),
  )
  const counts = {
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    cacheReadTokens: input?.cached_tokens,
    reasoningTokens: output?.reasoning_tokens,
  }
  const key = asText(response?.responseId) ?? `answer-${++conversation.answers}`
  conversation.usage(key, counts, asText(asObject(response?.providerData)?.model))
}
