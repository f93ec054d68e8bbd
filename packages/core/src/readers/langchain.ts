import { asList, asObject, asText, type JsonObject } from '../session/json-values.ts'
import type { Conversation } from './messages/conversation.ts'
import { messageReader } from './messages/message-reader.ts'
import { messageTime } from './shared/time.ts'
import { anyMessage, langChainMessage, writeMessage } from './traces/any-message.ts'

const shapes = { isConversation: (value: unknown) => messagesOf(value) !== undefined, isLine: isMessage }

/**
 * Reads messages of LangChain: a list, lines of them, the state of an agent (`{messages}`), and what a checkpointer of
 * LangGraph keeps of it (`values`, `channel_values`). https://docs.langchain.com/oss/javascript/langchain/messages
 */
export const langChainReader = messageReader({
  name: 'langchain',
  shapes,
  createLog: (conversation) => ({
    ...shapes,
    readLine: (value) => readMessage(conversation, value),
    readConversation(value) {
      for (const message of messagesOf(value) ?? []) readMessage(conversation, message)
      const { config, configurable } = asObject(value) ?? {}
      return asText(asObject(asObject(config)?.configurable ?? configurable)?.thread_id)
    },
    finish: () => {},
  }),
})

function isMessage(value: unknown): boolean {
  return langChainMessage(value) !== undefined
}

function messagesOf(value: unknown): readonly unknown[] | undefined {
  const object = asObject(value)
  const holders = [
    object,
    object?.values,
    object?.channel_values,
    asObject(object?.checkpoint)?.channel_values,
  ]
  const lists = [asList(value), ...holders.map((holder) => asList(asObject(holder)?.messages))]
  return lists.find((list) => list.some(isMessage))
}

function readMessage(conversation: Conversation, value: unknown): void {
  const message = anyMessage(value)
  if (message === undefined) {
    conversation.other(value)
    return
  }
  const { fields, parts, role } = message
  const answer = asObject(fields.response_metadata)
  const model = asText(answer?.model_name) ?? asText(answer?.model)
  conversation.time = messageTime(fields)
  conversation.model = model
  writeMessage(conversation, role, parts)
  const usage = asObject(fields.usage_metadata)
  if (usage !== undefined)
    conversation.usage(asText(fields.id) ?? `answer-${++conversation.answers}`, langChainUsage(usage), model)
}

/** The input includes the cache, and the output the reasoning. */
export function langChainUsage(usage: JsonObject) {
  const input = asObject(usage.input_token_details)
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: input?.cache_read,
    cacheWriteTokens: input?.cache_creation,
    reasoningTokens: asObject(usage.output_token_details)?.reasoning,
  }
}
