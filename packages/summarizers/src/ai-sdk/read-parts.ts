import { fieldsOf, known, listOf, stringOf } from '@tenfold/core/internal/summarizer'
import { findJsonObject } from '../model/find-json.ts'
import { reportedError } from '../provider/call-error.ts'
import { ModelError, type ModelStop } from '../provider/model.ts'
import type { Answer } from '../provider/run-call.ts'
import { tokenUsage } from '../provider/token-usage.ts'

/** A streamed answer so far. */
export interface StreamedParts extends Answer<unknown> {
  /** Whether the provider warned that it ignores the schema. */
  schemaIgnored(): boolean
}

/** No summary is this long, so a longer answer is an error. */
const maxChars = 64 * 1024 * 1024

/** Collects the parts of a stream. */
export function streamedParts(): StreamedParts {
  let begun = false
  let text = ''
  let finish: Readonly<Record<string, unknown>> | undefined
  let error: { readonly reported: unknown } | undefined
  let model: string | undefined
  let requestId: string | undefined
  let schemaIgnored = false
  const facts = () => ({ usage: usageOf(finish?.usage), ...known({ model, requestId }) })
  return {
    begin(id) {
      begun = true
      requestId = id ?? undefined
    },
    add(part) {
      const fields = fieldsOf(part)
      if (fields.type === 'text-delta') {
        text += typeof fields.delta === 'string' ? fields.delta : ''
        if (text.length > maxChars)
          throw new ModelError(`the answer is longer than ${maxChars} characters`, { reason: 'inflated' })
      } else if (fields.type === 'finish') finish = fields
      else if (fields.type === 'error') error ??= { reported: fields.error }
      else if (fields.type === 'stream-start') schemaIgnored = listOf(fields.warnings).some(isOfSchema)
      else if (fields.type === 'response-metadata') {
        model = stringOf(fields.modelId) ?? model
        requestId ??= stringOf(fields.id)
      }
      return false
    },
    schemaIgnored: () => schemaIgnored,
    whole: () => finish !== undefined,
    facts: () => ({ answering: begun, ...facts() }),
    reply() {
      if (error !== undefined) throw reportedError(error.reported, facts())
      const stop = stopOf(finish?.finishReason, text)
      if (stop !== undefined) return { text, stop, ...facts() }
      throw new ModelError('the answer ended without a reason to end', {
        reason: 'cut-off',
        retryable: true,
        ...facts(),
      })
    },
  }
}

/** AI SDK 5 names the setting, later ones the feature. */
function isOfSchema(warning: unknown): boolean {
  const { setting, feature } = fieldsOf(warning)
  return setting === 'responseFormat' || feature === 'responseFormat'
}

/**
 * Why the answer ended. AI SDK 5 has one word for it; later versions add the provider's own. `undefined` if the answer
 * was cut off.
 */
function stopOf(finishReason: unknown, text: string): ModelStop | undefined {
  const { unified = finishReason, raw } = fieldsOf(finishReason)
  if (raw === 'refusal') return 'refusal'
  if (raw === 'model_context_window_exceeded') return 'context-exceeded'
  if (unified === 'stop' || unified === 'tool-calls') return 'end'
  if (unified === 'length') return 'max-tokens'
  if (unified === 'content-filter') return 'content-filter'
  if (unified === 'error' || unified === 'interrupted' || unified === undefined) return undefined
  // SDKs do not distinguish a provider's own word for the end from a stream that was cut off.
  return findJsonObject(text) === undefined ? undefined : 'end'
}

/** AI SDK 5 has all counts at one level, later versions at two. */
function usageOf(value: unknown) {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens } = fieldsOf(value)
  const input = fieldsOf(inputTokens)
  const output = fieldsOf(outputTokens)
  const read = input.total ?? inputTokens
  return tokenUsage({
    // A prompt never has 0 tokens, so a provider that reports 0 does not count.
    inputTokens: read === 0 ? undefined : read,
    outputTokens: output.total ?? outputTokens,
    cacheReadTokens: input.cacheRead ?? cachedInputTokens,
    cacheWriteTokens: input.cacheWrite,
    reasoningTokens: output.reasoning ?? reasoningTokens,
  })
}
