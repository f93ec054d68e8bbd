import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import { claudeUsage } from '../claude-code/tools.ts'
import type { Conversation } from '../messages/conversation.ts'

/**
 * Usage of an answer. If the server compacted on the way, the total covers only the last round, so the rounds count.
 */
export function addAnthropicUsage(conversation: Conversation, message: JsonObject): void {
  const usage = asObject(message.usage)
  if (usage === undefined) return
  const rounds = asList(usage.iterations)
    .map(asObject)
    .filter((round) => round !== undefined)
  const counted =
    rounds.length > 0
      ? rounds.map(claudeUsage).reduce<TokenUsage>(addUsage, {})
      : (claudeUsage(usage) satisfies TokenUsage)
  const key = asText(message.id) ?? `answer-${++conversation.answers}`
  conversation.out.usage(
    key,
    conversation.agent,
    asText(message.model) ?? conversation.model ?? 'unknown',
    counted,
  )
}

/** Notes what the server removed from the conversation before it answered. */
export function noteEdits(conversation: Conversation, management: unknown): void {
  for (const value of asList(asObject(management)?.applied_edits)) {
    const edit = asObject(value)
    const counts = Object.entries(edit ?? {}).flatMap(([key, count]) =>
      typeof count === 'number' ? [`${key} ${count}`] : [],
    )
    const what = [asText(edit?.type) ?? 'an edit', ...counts].join(', ')
    conversation.out.note('context-edited', `the server edited the context: ${what.slice(0, 300)}`)
  }
}
