import { asCount, asObject, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'

/**
 * The SDK's own usage. Version 6 has the cache and the reasoning under details; earlier ones beside the totals.
 * https://ai-sdk.dev/docs/reference/ai-sdk-core/generate-text
 */
export function sdkUsage(usage: JsonObject): TokenUsage {
  const input = asObject(usage.inputTokenDetails)
  const output = asObject(usage.outputTokenDetails)
  return known<TokenUsage>({
    inputTokens: asCount(usage.inputTokens) ?? asCount(usage.promptTokens),
    outputTokens: asCount(usage.outputTokens) ?? asCount(usage.completionTokens),
    cacheReadTokens: asCount(input?.cacheReadTokens) ?? asCount(usage.cachedInputTokens),
    cacheWriteTokens: asCount(input?.cacheWriteTokens),
    reasoningTokens: asCount(output?.reasoningTokens) ?? asCount(usage.reasoningTokens),
  })
}
