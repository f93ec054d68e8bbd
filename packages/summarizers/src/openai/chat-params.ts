import type OpenAI from 'openai'
import { known } from '../provider/fields.ts'
import type { ModelRequest } from '../provider/model.ts'
import { type StructuredMode, systemWithSchema } from '../provider/structured.ts'
import type { MaxTokensField } from './max-tokens-after.ts'
import type { ParamsOptions, SamplingOptions } from './params-options.ts'

/** A field of `extra` that is `undefined` removes that field. */
export interface ChatParamsOptions extends ParamsOptions, SamplingOptions {
  readonly structured: StructuredMode
  readonly maxTokensField: MaxTokensField
  readonly stream: boolean
}

/**
 * Body of a call of Chat Completions, in the subset that compatible servers share.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatParams(
  request: ModelRequest,
  options: ChatParamsOptions,
): OpenAI.Chat.ChatCompletionCreateParams {
  const { model, structured, maxTokensField, stream, effort, temperature, seed, extra } = options
  const system = structured === 'json-schema' ? request.system : systemWithSchema(request)
  return {
    model,
    messages: [
      { role: 'system', content: system },
      ...request.messages.map(({ role, text }) => ({ role, content: text })),
    ],
    [maxTokensField]: request.maxOutputTokens,
    ...known({
      response_format: formatOf(structured, request),
      reasoning_effort: effort as OpenAI.ReasoningEffort | undefined,
      temperature,
      seed,
    }),
    // Without it a stream ends without the usage.
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...extra,
    stream,
  }
}

function formatOf(
  structured: StructuredMode,
  { schema, schemaName }: ModelRequest,
): OpenAI.Chat.ChatCompletionCreateParams['response_format'] {
  if (structured === 'prompt') return undefined
  if (structured === 'json-object') return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: schemaName, strict: true, schema: { ...schema } } }
}
