import type { IncomingHttpHeaders } from 'node:http'
import { isJson, type Json, jsonOf, type StandInCall, textOf, tokensOf } from '../call.ts'
import { invalid, type ProviderError } from '../provider-error.ts'
import { openaiSchemaFault } from '../schema-rules.ts'

const knownResponses = new Set(
  'model input instructions text store stream stream_options max_output_tokens metadata reasoning include temperature top_p truncation tools tool_choice parallel_tool_calls previous_response_id conversation background prompt prompt_cache_key prompt_cache_options prompt_cache_retention moderation safety_identifier service_tier top_logprobs user context_management max_tool_calls'.split(
    ' ',
  ),
)
const knownChat = new Set(
  'model messages response_format stream stream_options max_tokens max_completion_tokens metadata temperature top_p seed stop n tools tool_choice parallel_tool_calls store user logprobs top_logprobs logit_bias presence_penalty frequency_penalty reasoning_effort verbosity prompt_cache_key prompt_cache_options prompt_cache_retention moderation safety_identifier service_tier audio web_search_options modalities prediction'.split(
    ' ',
  ),
)
/** Reasoning models of OpenAI itself: they refuse the old name of the limit. */
const reasons = /^(?:gpt-[5-9]|o\d)/

/** Checks the body of `/v1/responses`. */
export function readResponses(body: Json, _headers: IncomingHttpHeaders): StandInCall | ProviderError {
  const strange = Object.keys(body).find((key) => !knownResponses.has(key))
  if (strange !== undefined) return unknownParameter(strange)
  if (typeof body.model !== 'string') return missing('model')
  if (typeof body.input !== 'string' && !Array.isArray(body.input)) return missing('input')
  const format = jsonOf(jsonOf(body.text).format)
  const fault = format.type === 'json_schema' ? formatFault(format, 'text.format') : undefined
  if (fault !== undefined) return fault
  const limit = body.max_output_tokens
  if (limit !== undefined && limit !== null && (typeof limit !== 'number' || limit < 16))
    return invalid(
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
      'max_output_tokens',
      'integer_below_min_value',
    )
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input
  return callOf('responses', body, items, textOf(body.instructions), format.schema, limit)
}

/** Checks the body of `/v1/chat/completions`. */
export function readChat(body: Json, _headers: IncomingHttpHeaders): StandInCall | ProviderError {
  const strange = Object.keys(body).find((key) => !knownChat.has(key))
  // Other servers have fields of their own.
  if (strange !== undefined && reasons.test(String(body.model))) return unknownParameter(strange)
  if (typeof body.model !== 'string') return missing('model')
  if (!Array.isArray(body.messages) || body.messages.length === 0) return missing('messages')
  if (body.max_tokens !== undefined && reasons.test(body.model))
    return invalid(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    )
  if (body.stream_options !== undefined && body.stream !== true)
    return invalid(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    )
  const format = jsonOf(body.response_format)
  const named = jsonOf(format.json_schema)
  const fault = format.type === 'json_schema' ? formatFault(named, 'response_format') : undefined
  if (fault !== undefined) return fault
  return callOf('chat', body, body.messages, '', named.schema, body.max_completion_tokens ?? body.max_tokens)
}

function callOf(
  api: 'responses' | 'chat',
  body: Json,
  items: readonly unknown[],
  instructions: string,
  schema: unknown,
  limit: unknown,
): StandInCall {
  const all = items.map(jsonOf).map((item) => ({ role: String(item.role), text: textOf(item.content) }))
  const isSystem = ({ role }: { role: string }) => role === 'system' || role === 'developer'
  const system = [instructions, ...all.filter(isSystem).map((item) => item.text)].filter(Boolean).join('\n\n')
  const messages = all.filter((item) => !isSystem(item))
  return {
    provider: 'openai',
    api,
    model: String(body.model),
    stream: body.stream === true,
    system,
    messages,
    ...(isJson(schema) ? { schema } : {}),
    ...(typeof limit === 'number' ? { maxTokens: limit } : {}),
    inputTokens: tokensOf(instructions, ...all.map((item) => item.text)),
    body,
  }
}

function formatFault(format: Json, param: string): ProviderError | undefined {
  if (typeof format.name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(format.name))
    return invalid(
      `Invalid '${param}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`,
      `${param}.name`,
      'invalid_value',
    )
  if (format.strict !== true) return undefined
  const fault = openaiSchemaFault(format.schema)
  if (fault === undefined) return undefined
  return invalid(
    `Invalid schema for ${param} '${format.name}': In context=(), ${fault}.`,
    `${param}.schema`,
    'invalid_json_schema',
  )
}

function unknownParameter(name: string): ProviderError {
  return invalid(`Unknown parameter: '${name}'.`, name, 'unknown_parameter')
}

function missing(name: string): ProviderError {
  return invalid(`Missing required parameter: '${name}'.`, name, 'missing_required_parameter')
}
