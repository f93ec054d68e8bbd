import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { Conversation } from '../messages/conversation.ts'

/** Usage of a response. */
export function addResponseUsage(conversation: Conversation, response: JsonObject): void {
  const usage = asObject(response.usage)
  if (usage === undefined) return
  conversation.out.usage(
    asText(response.id) ?? `answer-${++conversation.answers}`,
    conversation.agent,
    asText(response.model) ?? conversation.model ?? 'unknown',
    {
      inputTokens: asCount(usage.input_tokens),
      outputTokens: asCount(usage.output_tokens),
      cacheReadTokens: asCount(asObject(usage.input_tokens_details)?.cached_tokens),
      reasoningTokens: asCount(asObject(usage.output_tokens_details)?.reasoning_tokens),
    },
  )
}
