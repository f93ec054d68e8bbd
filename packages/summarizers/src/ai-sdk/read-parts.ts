import type { TokenUsage } from '@tenfold/core/summarizer'
import { findJsonObject } from '../model/find-json.ts'
import { fieldsOf, known, listOf, stringOf, tokenUsage } from '../provider/fields.ts'
import { ModelError, type ModelReply, type ModelStop } from '../provider/model.ts'
import { reportedError } from './ai-sdk-error.ts'

/** What has arrived of an answer. */
export interface Received {
  /** Whether the answer has begun. */
  begun: boolean
  text: string
  /** The part `finish`, if it has arrived. */
  finish?: Readonly<Record<string, unknown>>
  /** What the first part `error` reports. */
  error?: { readonly reported: unknown }
  model?: string | undefined
  requestId?: string | undefined
  /** Whether the provider says that it does not take the schema. */
  schemaIgnored: boolean
}

/** An answer of which nothing has arrived yet. */
export function nothingReceived(): Received {
  return { begun: false, text: '', schemaIgnored: false }
}

/** No summary is this long. */
const maxChars = 64 * 1024 * 1024

/** Adds one part of the stream. Throws ModelError `inflated` for an answer that would fill the memory. */
export function takePart(received: Received, part: unknown): void {
  const fields = fieldsOf(part)
  if (fields.type === 'text-delta') {
    received.text += typeof fields.delta === 'string' ? fields.delta : ''
    if (received.text.length > maxChars)
      throw new ModelError(`the answer is longer than ${maxChars} characters`, { reason: 'inflated' })
  } else if (fields.type === 'finish') received.finish = fields
  else if (fields.type === 'error') received.error ??= { reported: fields.error }
  else if (fields.type === 'stream-start') received.schemaIgnored = listOf(fields.warnings).some(isOfSchema)
  else if (fields.type === 'response-metadata') {
    received.model = stringOf(fields.modelId) ?? received.model
    received.requestId ??= stringOf(fields.id)
  }
}

/** AI SDK 5 names the setting, later ones the feature. */
function isOfSchema(warning: unknown): boolean {
  const { setting, feature } = fieldsOf(warning)
  return setting === 'responseFormat' || feature === 'responseFormat'
}

/** Known facts about an answer, as far as it has arrived. */
export function knownOf({ finish, model, requestId }: Received): Omit<ModelReply, 'text' | 'stop'> {
  return { usage: usageOf(finish?.usage), ...known({ model, requestId }) }
}

/** The reply. Throws ModelError, with the usage, if the answer failed or is incomplete. */
export function replyOf(received: Received): ModelReply {
  const { text, finish, error } = received
  const known = knownOf(received)
  if (error !== undefined) throw reportedError(error.reported, known)
  const stop = stopOf(finish?.finishReason, text)
  if (stop === undefined)
    throw new ModelError('the answer ended without a reason to end', {
      reason: 'cut-off',
      retryable: true,
      ...known,
    })
  return { text, stop, ...known }
}

/**
 * AI SDK 5 gives one word for the finish reason, later ones the word and what the provider said. `undefined` if the
 * answer was cut.
 */
function stopOf(finishReason: unknown, text: string): ModelStop | undefined {
  const { unified = finishReason, raw } = fieldsOf(finishReason)
  if (raw === 'refusal') return 'refusal'
  if (raw === 'model_context_window_exceeded') return 'context-exceeded'
  if (unified === 'stop' || unified === 'tool-calls') return 'end'
  if (unified === 'length') return 'max-tokens'
  if (unified === 'content-filter') return 'content-filter'
  if (unified === 'error' || unified === 'interrupted' || unified === undefined) return undefined
  // A provider with a word of its own for the end, or a stream that was cut: SDKs do not tell them apart.
  return findJsonObject(text) === undefined ? undefined : 'end'
}

/** AI SDK 5 counts in one level, later ones in two. */
function usageOf(value: unknown): TokenUsage {
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens } = fieldsOf(value)
  const input = fieldsOf(inputTokens)
  const output = fieldsOf(outputTokens)
  const read = input.total ?? inputTokens
  return tokenUsage({
    // A prompt never takes 0 tokens: a provider that reports 0 does not count.
    inputTokens: read === 0 ? undefined : read,
    outputTokens: output.total ?? outputTokens,
    cacheReadTokens: input.cacheRead ?? cachedInputTokens,
    cacheWriteTokens: input.cacheWrite,
    reasoningTokens: output.reasoning ?? reasoningTokens,
  })
}
