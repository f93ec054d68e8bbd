import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { Conversation } from '../messages/conversation.ts'

/** Usage of an answer, or of the chunk that ends a stream. */
export function addChatUsage(conversation: Conversation, answer: JsonObject): void {
  const usage = asObject(answer.usage)
  if (usage === undefined) return
  const key = asText(answer.id) ?? `answer-${++conversation.answers}`
  conversation.out.usage(key, conversation.agent, asText(answer.model) ?? conversation.model ?? 'unknown', {
    inputTokens: asCount(usage.prompt_tokens),
    outputTokens: asCount(usage.completion_tokens),
    cacheReadTokens: asCount(asObject(usage.prompt_tokens_details)?.cached_tokens),
    reasoningTokens: asCount(asObject(usage.completion_tokens_details)?.reasoning_tokens),
  })
}
