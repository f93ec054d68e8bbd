import type { IncomingHttpHeaders } from 'node:http'
import { isJson, type Json, jsonOf, type StandInCall, textOf, tokensOf } from '../call.ts'
import { invalid, type ProviderError } from '../provider-error.ts'
import { anthropicSchemaFault } from '../schema-rules.ts'

const known = new Set(
  'model messages max_tokens system metadata output_config stop_sequences stream thinking tools tool_choice service_tier container inference_geo context_management compaction cache_control diagnostics speed user_profile_id workspace_id'.split(
    ' ',
  ),
)

/** Checks the body of `/v1/messages` like version 2026-10-21. `counting`: of `/v1/messages/count_tokens`. */
export function readMessages(
  body: Json,
  headers: IncomingHttpHeaders,
  counting = false,
): StandInCall | ProviderError {
  const fault = headerFault(headers) ?? bodyFault(body, counting)
  if (fault !== undefined) return fault
  const list = body.messages as Json[]
  const messages = list.map((message) => ({ role: String(message.role), text: textOf(message.content) }))
  const system = textOf(body.system)
  const format = jsonOf(jsonOf(body.output_config).format)
  return {
    provider: 'anthropic',
    api: 'messages',
    model: String(body.model),
    stream: body.stream === true,
    system,
    messages,
    ...(isJson(format.schema) ? { schema: format.schema } : {}),
    ...(typeof body.max_tokens === 'number' ? { maxTokens: body.max_tokens } : {}),
    inputTokens: tokensOf(system, ...messages.map((message) => message.text)),
    body,
  }
}

export function headerFault(headers: IncomingHttpHeaders): ProviderError | undefined {
  return headers['anthropic-version'] === undefined
    ? invalid('anthropic-version: header is required')
    : undefined
}

function bodyFault(body: Json, counting: boolean): ProviderError | undefined {
  const strange = Object.keys(body).find((key) => !known.has(key))
  if (strange !== undefined)
    return invalid(
      /^(?:temperature|top_p|top_k)$/.test(strange)
        ? `${strange}: this parameter is no longer supported`
        : `${strange}: Extra inputs are not permitted`,
    )
  if (typeof body.model !== 'string') return invalid('model: Field required')
  if (!counting && body.max_tokens === undefined) return invalid('max_tokens: Field required')
  if (!counting && (!Number.isInteger(body.max_tokens) || (body.max_tokens as number) < 1))
    return invalid('max_tokens: must be greater than or equal to 1')
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    return invalid('messages: at least one message is required')
  const messages = body.messages.map(jsonOf)
  const wrong = messages.findIndex((message) => !/^(?:user|assistant|system)$/.test(String(message.role)))
  if (wrong >= 0) return invalid(`messages.${wrong}.role: Input should be 'user', 'assistant' or 'system'`)
  const empty = messages.findIndex((message) => textOf(message.content) === '')
  if (empty >= 0) return invalid(`messages.${empty}: all messages must have non-empty content`)
  if (messages[0]?.role === 'assistant') return invalid('messages: first message must use the "user" role')
  if (messages.at(-1)?.role === 'assistant')
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    )
  const format = jsonOf(body.output_config).format
  if (format === undefined || format === null) return undefined
  if (jsonOf(format).type !== 'json_schema')
    return invalid("output_config.format.type: Input should be 'json_schema'")
  const schemaFault = anthropicSchemaFault(jsonOf(format).schema)
  return schemaFault === undefined ? undefined : invalid(`output_config.format.schema: ${schemaFault}`)
}
