import { asCount, asObject, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { type TokenUsage, usageFields } from '../../session/usage.ts'
import type { Conversation } from '../messages/conversation.ts'
import type { AtifRun } from './children.ts'

/** Counts the usage of an agent's step once: converters repeat it in each step that one response became. */
export function addUsage(run: AtifRun, conversation: Conversation, step: JsonObject): void {
  const metrics = asObject(step.metrics)
  if (metrics === undefined || step.is_copied_context === true) return
  const usage = atifUsage(metrics, '')
  if (Object.keys(usage).length === 0) return
  const mark = JSON.stringify([conversation.model, usage])
  const repeated = run.metrics.get(conversation.agent) === mark && (usage.inputTokens ?? 0) > 0
  run.metrics.set(conversation.agent, mark)
  if (!repeated) run.responses++
  conversation.usage(`${conversation.agent}/${run.responses}`, usage)
}

/** Metrics in the terms of `TokenUsage`. `prompt_tokens` includes cached ones since 1.2. */
function atifUsage(metrics: JsonObject | undefined, prefix: '' | 'total_'): TokenUsage {
  const count = (name: string): number | undefined => asCount(metrics?.[`${prefix}${name}`])
  const extra = asObject(metrics?.extra)
  const prompt = count('prompt_tokens')
  const read = count('cached_tokens')
  // Harbor's converter of Claude Code omits the tokens written to the cache, and keeps them under Anthropic's name.
  const apart = asCount(extra?.[`${prefix}cache_creation_input_tokens`])
  const written = asCount(extra?.[`${prefix}cache_write_tokens`])
  const before = prompt !== undefined && read !== undefined && prompt < read ? read : 0
  return known<TokenUsage>({
    inputTokens: prompt === undefined ? undefined : prompt + before + (apart ?? 0),
    outputTokens: count('completion_tokens'),
    cacheReadTokens: read,
    cacheWriteTokens: apart ?? written,
    reasoningTokens: asCount(extra?.[`${prefix}reasoning_tokens`]),
  })
}

/** Whether a step reports the tokens of a response. */
export function hasMetrics(step: unknown): boolean {
  return Object.keys(atifUsage(asObject(asObject(step)?.metrics), '')).length > 0
}

/** The total of a trajectory whose steps report no usage. Tenfold's own export reports it by model. */
export function addTotal(
  conversation: Conversation,
  total: JsonObject | undefined,
  model: string | undefined,
): void {
  const byModel = Object.entries(asObject(asObject(total?.extra)?.usage_by_model) ?? {})
  const key = `${conversation.agent}/total`
  if (byModel.length === 0) conversation.usage(key, atifUsage(total, 'total_'), model)
  for (const [name, value] of byModel) {
    const counts = usageFields.map((field) => [field, asObject(value)?.[field]])
    conversation.usage(`${key}/${name}`, Object.fromEntries(counts), name)
  }
}
