import { asList, asObject, asText, at, fieldsOf, type JsonObject, textAt } from '../session/json-values.ts'
import { type Conversation, countAnswer, writeUser } from './messages/conversation.ts'
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
      for (const response of asList(at(value, 'modelResponses'))) countUsage(conversation, response)
      return undefined
    },
    finish: () => {},
  }),
})

function isItem(value: unknown): boolean {
  const { role, type } = fieldsOf(value)
  return isAgentsItem(value) || role !== undefined || responseItemTypes.has(asText(type) ?? '')
}

function itemsOf(value: unknown): readonly unknown[] | undefined {
  const { generatedItems, history, items, newItems, originalInput: asked } = fieldsOf(value)
  if (Array.isArray(generatedItems))
    return [
      ...(typeof asked === 'string' ? [{ role: 'user', content: asked }] : asList(asked)),
      ...generatedItems,
    ]
  return [value, history, items, newItems].map(asList).find((list) => list.some(isAgentsItem))
}

function readAgentsItem(conversation: Conversation, value: unknown): void {
  const raw = asObject(at(value, 'rawItem') ?? value)
  if (raw?.role === 'user' && typeof raw.content === 'string') writeUser(conversation, [raw.content])
  else if (raw === undefined || !readItem(conversation, responseItem(raw))) conversation.other(value)
}

const types = new Map<unknown, string>([
  ['function_call_result', 'function_call_output'],
  ['computer_call_result', 'computer_call_output'],
])

function responseItem(item: JsonObject): JsonObject {
  const { callId, name, output, providerData, type } = item
  const isServed = type === 'hosted_tool_call'
  const runs = asList(output).map((run) => {
    const outcome = asObject(at(run, 'outcome'))
    return outcome === undefined
      ? run
      : { ...fieldsOf(run), outcome: { ...outcome, exit_code: outcome.exitCode } }
  })
  return {
    ...item,
    ...(Array.isArray(output) && { output: runs }),
    type: types.get(type) ?? type,
    ...(callId !== undefined && { call_id: callId }),
    ...(isServed && { ...asObject(providerData), type: textAt(providerData, 'type') ?? name }),
  }
}

function countUsage(conversation: Conversation, response: unknown): void {
  const { inputTokens, inputTokensDetails, outputTokens, outputTokensDetails } = fieldsOf(
    at(response, 'usage'),
  )
  const [input, output] = [inputTokensDetails, outputTokensDetails].map((details) =>
    Array.isArray(details) ? details[0] : details,
  )
  const cacheReadTokens = at(input, 'cached_tokens')
  const counts = {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    reasoningTokens: at(output, 'reasoning_tokens'),
  }
  countAnswer(conversation, at(response, 'responseId'), counts, at(response, 'providerData', 'model'))
}
