import { fieldsOf, known } from '@tenfold/core/internal/summarizer'
import type OpenAI from 'openai'
import type { Refusal } from '../provider/call-error.ts'
import type { ModelRequest } from '../provider/model.ts'
import { type StructuredMode, systemWithSchema } from '../provider/structured.ts'

/** The known levels, and any other that a model may support. */
type OpenAIEffort = NonNullable<OpenAI.ReasoningEffort> | (string & {})

/** Options for the body of a call, for either API. */
export interface ParamsOptions {
  readonly model: string
  /** How long a reasoning model thinks. @default the model's own */
  readonly effort?: OpenAIEffort | undefined
  /**
   * Fields added to the body, or replacing those made here, such as OpenRouter's
   * `provider: { require_parameters: true }`.
   */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** Options that only Chat Completions takes. */
export interface SamplingOptions {
  /** Chat only. @default the server's own */
  readonly temperature?: number | undefined
  /** Chat only. @default none */
  readonly seed?: number | undefined
}

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

/**
 * Body of a call of the Responses API, alone or as a row of a batch.
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function responseParams(
  request: ModelRequest,
  { model, effort, extra }: ParamsOptions,
): OpenAI.Responses.ResponseCreateParamsNonStreaming {
  return {
    model,
    instructions: request.system,
    input: request.messages.map(({ role, text }) => ({ role, content: text })),
    max_output_tokens: request.maxOutputTokens,
    ...extra,
    ...(effort === undefined
      ? {}
      : { reasoning: { ...fieldsOf(extra?.reasoning), effort: effort as OpenAI.ReasoningEffort } }),
    text: {
      ...fieldsOf(extra?.text),
      format: { type: 'json_schema', name: request.schemaName, strict: true, schema: request.schema },
    },
    // The provider stores its answers by default, and a session is not ours to leave there.
    store: false,
  }
}

/** The name of the output limit. OpenAI's reasoning models know only the second, other servers often only the first. */
export type MaxTokensField = 'max_tokens' | 'max_completion_tokens'

// "Unsupported parameter: 'max_tokens' is not supported with this model", "Extra inputs are not permitted",
// "property 'max_completion_tokens' is unsupported", "Unrecognized request argument supplied".
const unknown =
  /unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|invalid (?:parameter|argument|field)|deprecated|\bextra\b|\binstead\b/i
// The name is right, the number is not.
const aboutValue = /unsupported_value|too (?:large|high|big)|at most|maximum|exceed|less than|greater than/i

/** The other name of the output limit if a server refused this one as such; undefined if the error is another. */
export function maxTokensAfter(
  asked: MaxTokensField,
  { status, param, code = '', message }: Refusal,
): MaxTokensField | undefined {
  if (status !== 400 && status !== 422) return undefined
  if (!new RegExp(`\\b${asked}\\b`).test(`${String(param ?? '')} ${message}`)) return undefined
  const said = `${code} ${message}`
  if (aboutValue.test(said) || !unknown.test(said)) return undefined
  return asked === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
}
