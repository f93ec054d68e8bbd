import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import type { OpenHandsState } from './state.ts'

/** Reads usage as an API response reports it; prompt tokens include the cache. */
export function readResponseUsage(state: OpenHandsState, response: JsonObject): void {
  const usage = asObject(response.usage)
  const id = asText(response.id)
  if (usage === undefined || id === undefined || state.counted.has(id)) return
  const counts = known<TokenUsage>({
    inputTokens: asCount(usage.prompt_tokens),
    outputTokens: asCount(usage.completion_tokens),
    cacheReadTokens:
      asCount(usage.cache_read_input_tokens) ?? asCount(asObject(usage.prompt_tokens_details)?.cached_tokens),
    cacheWriteTokens: asCount(usage.cache_creation_input_tokens),
    reasoningTokens: asCount(asObject(usage.completion_tokens_details)?.reasoning_tokens),
  })
  state.counted.set(id, counts)
  state.out.usage(
    `response ${id}`,
    'main',
    asText(response.model) ?? state.settingsModel ?? 'unknown',
    counts,
  )
}

/** `{prompt_tokens, completion_tokens, cache_read_tokens, …}`, as OpenHands sums it up. */
function sumOf(value: unknown): TokenUsage {
  const usage = asObject(value)
  return known<TokenUsage>({
    inputTokens: asCount(usage?.prompt_tokens),
    outputTokens: asCount(usage?.completion_tokens),
    cacheReadTokens: asCount(usage?.cache_read_tokens),
    cacheWriteTokens: asCount(usage?.cache_write_tokens),
    reasoningTokens: asCount(usage?.reasoning_tokens),
  })
}

/** Remembers the latest sum over all responses so far. */
export function readAccumulated(state: OpenHandsState, metrics: unknown): void {
  const sum = asObject(asObject(metrics)?.accumulated_token_usage)
  if (sum === undefined) return
  const usage = sumOf(sum)
  if ((usage.inputTokens ?? 0) < (state.accumulated?.usage.inputTokens ?? 0)) return
  const reported = asText(sum.model)
  state.accumulated = { usage, model: reported === 'default' ? undefined : reported }
}

/** Writes the part of the sum that exceeds the responses in the log. */
export function writeRest(state: OpenHandsState): void {
  const { accumulated, counted, out } = state
  if (accumulated === undefined) return
  const sum = [...counted.values()].reduce<TokenUsage>(addUsage, {})
  const { reasoningTokens: _, ...total } = accumulated.usage
  const rest: TokenUsage = Object.fromEntries(
    Object.entries(total).map(([key, count]) => [
      key,
      Math.max(0, count - (sum[key as keyof TokenUsage] ?? 0)),
    ]),
  )
  if (!Object.values(rest).some((count) => count > 0)) return
  out.usage('accumulated', 'main', accumulated.model ?? state.model ?? state.settingsModel ?? 'unknown', rest)
}

/** Reads `stats` of a conversation (V1): sums by the purpose of a model; the highest one stays. */
export function readStats(state: OpenHandsState, stats: unknown): void {
  for (const [purpose, value] of Object.entries(asObject(asObject(stats)?.usage_to_metrics) ?? {})) {
    const metrics = asObject(value)
    const usage = sumOf(metrics?.accumulated_token_usage)
    const size = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    if (size === 0 || size < (state.purposes.get(purpose) ?? 0)) continue
    state.purposes.set(purpose, size)
    const model = asText(metrics?.model_name) ?? state.model ?? 'unknown'
    if (purpose === 'default' || purpose === 'agent') state.model = model
    state.out.usage(`stats ${purpose}`, 'main', model, usage)
    for (const each of asList(metrics?.token_usages)) state.model ??= asText(asObject(each)?.model)
  }
}
