import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { exitCodeOf, outcomeOf } from '../messages/outcome.ts'
import { outputText } from '../shared/content.ts'
import type { Outcome } from '../shared/outcome.ts'

/** The outcome of any value that a tool returned. */
export function plainOutcome(output: unknown, failed?: boolean): Outcome {
  const object = asObject(output)
  const { text, images } = outputText(output)
  const code = exitCodeOf(object)
  const { status, exitCode = code } = outcomeOf(text, failed ?? ((code ?? 0) === 0 ? undefined : true))
  return { text, status, exitCode: code ?? exitCode, images }
}

/** The outcome in the `output` of a `tool-result` part: `{ type, value }`. */
export function resultOutcome(part: JsonObject): Outcome {
  // Version 4 had the bare value under `result`.
  if (part.output === undefined && 'result' in part)
    return plainOutcome(part.result, part.isError === true ? true : undefined)
  const output = asObject(part.output)
  const type = asText(output?.type)
  if (type === 'execution-denied') return { status: 'denied', text: asText(output?.reason) ?? '' }
  if (type === 'error-text' || type === 'error-json') return plainOutcome(output?.value, true)
  const isWrapped = type === 'text' || type === 'json' || type === 'content'
  return plainOutcome(isWrapped ? output?.value : part.output)
}

/**
 * The SDK's own usage. Version 6 has the cache and the reasoning under details; earlier ones beside the totals.
 * https://ai-sdk.dev/docs/reference/ai-sdk-core/generate-text
 */
export function sdkUsage(usage: JsonObject) {
  const { cachedInputTokens, completionTokens, inputTokens, outputTokens, promptTokens } = usage
  const input = asObject(usage.inputTokenDetails)
  const output = asObject(usage.outputTokenDetails)
  return {
    inputTokens: asCount(inputTokens) ?? promptTokens,
    outputTokens: asCount(outputTokens) ?? completionTokens,
    cacheReadTokens: asCount(input?.cacheReadTokens) ?? cachedInputTokens,
    cacheWriteTokens: input?.cacheWriteTokens,
    reasoningTokens: asCount(output?.reasoningTokens) ?? usage.reasoningTokens,
  }
}
