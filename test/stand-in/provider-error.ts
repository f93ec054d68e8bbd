import { jsonOf, type Provider, type StandInCall } from './call.ts'
import { newId } from './ids.ts'
import { jsonReply, type Reply } from './reply.ts'
import type { Scenario, StatusScenario } from './scenarios.ts'

/** An error of a provider, before it has the provider's form. */
export interface ProviderError {
  readonly status: number
  readonly message: string
  readonly type?: string
  readonly code?: string
  readonly param?: string
  readonly headers?: Readonly<Record<string, string>>
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
const openaiTypes: Readonly<Record<number, string>> = { 429: 'rate_limit_exceeded' }
const messages: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'invalid x-api-key',
  402: 'Your credit balance is too low',
  403: 'You have no permission for this',
  404: 'Not found',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Request exceeds the maximum size',
  429: 'This request would exceed your rate limit',
  500: 'Internal server error',
  503: 'The service is unavailable',
  529: 'Overloaded',
}

export function invalid(message: string, param?: string, code?: string): ProviderError {
  return {
    status: 400,
    message,
    ...(param === undefined ? {} : { param }),
    ...(code === undefined ? {} : { code }),
  }
}

/** The body of an error as the provider writes it. */
export function errorBody(provider: Provider, error: ProviderError, requestId: string | null): object {
  if (provider === 'ollama') return { error: error.message }
  if (provider === 'anthropic') return { type: 'error', error: anthropicError(error), request_id: requestId }
  const type =
    error.type ??
    (error.status >= 500 ? 'server_error' : (openaiTypes[error.status] ?? 'invalid_request_error'))
  return { error: { message: error.message, type, param: error.param ?? null, code: error.code ?? null } }
}

function anthropicError(error: ProviderError): object {
  const type =
    error.type ??
    anthropicTypes[error.status] ??
    (error.status >= 500 ? 'api_error' : 'invalid_request_error')
  const details = error.code === undefined ? {} : { details: { error_code: error.code } }
  return { type, message: error.message, ...details }
}

/** The whole reply. */
export function errorReply(provider: Provider, error: ProviderError): Reply {
  const requestId = newId('req_')
  return jsonReply(error.status, errorBody(provider, error, requestId), {
    ...requestIdHeader(provider, requestId),
    ...error.headers,
  })
}

export function requestIdHeader(provider: Provider, requestId: string): Record<string, string> {
  if (provider === 'ollama') return {}
  return { [provider === 'anthropic' ? 'request-id' : 'x-request-id']: requestId }
}

/** The provider's words for a prompt that does not fit. */
function promptTooLong(provider: Provider, tokens: number, limit: number): ProviderError {
  if (provider === 'anthropic') return invalid(`prompt is too long: ${tokens} tokens > ${limit} maximum`)
  if (provider === 'ollama') return invalid(`input length exceeds the context length of ${limit} tokens`)
  return invalid(
    `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    'messages',
    'context_length_exceeded',
  )
}

/** The error that a scenario means, if it is an error. */
export function errorOf(
  scenario: Scenario,
  provider: Provider,
  call: StandInCall | undefined,
): ProviderError | undefined {
  const tokens = call?.inputTokens ?? 0
  switch (scenario.scenario) {
    case 'status':
      return statusError(scenario, provider)
    case 'prompt_too_long':
      return promptTooLong(provider, Math.max(tokens, 2), Math.max(1, tokens - 1))
    case 'schema_unsupported':
      return unsupported(provider, call, scenario.jsonObject === true)
    case 'spend_limit':
      return provider === 'anthropic'
        ? { status: 429, message: 'The spend limit is reached.', code: 'enforced_spend_limit_reached' }
        : {
            status: 429,
            message: 'You exceeded your current quota, please check your plan and billing details.',
            type: 'insufficient_quota',
            code: 'insufficient_quota',
          }
    default:
      return undefined
  }
}

/** The call is refused as long as it asks for something that the server lacks. */
function unsupported(
  provider: Provider,
  call: StandInCall | undefined,
  jsonObject: boolean,
): ProviderError | undefined {
  const plain = jsonObject && jsonOf(call?.body.response_format).type === 'json_object'
  if (call?.schema === undefined && !plain) return undefined
  const what = plain ? 'json_object' : 'json_schema'
  if (provider === 'anthropic') return invalid(`output_config.format: ${what} is not supported by this model`)
  if (provider === 'ollama') return invalid(`format: ${what} is not supported by this model`)
  const param = call?.api === 'responses' ? 'text.format' : 'response_format'
  return invalid(`Invalid parameter: '${param}' of type '${what}' is not supported with this model.`, param)
}

function statusError(scenario: StatusScenario, provider: Provider): ProviderError {
  const { code, type, errorCode, retryAfter, xShouldRetry } = scenario
  const headers: Record<string, string> = {}
  if (typeof retryAfter === 'number' || typeof retryAfter === 'string')
    headers['retry-after'] = String(retryAfter)
  else if (retryAfter instanceof Date) headers['retry-after'] = retryAfter.toUTCString()
  else if (retryAfter !== undefined) headers['retry-after-ms'] = String(retryAfter.ms)
  if (xShouldRetry !== undefined) headers['x-should-retry'] = String(xShouldRetry)
  const standard = provider === 'openai' && code === 401 ? 'Incorrect API key provided' : messages[code]
  const openaiCode =
    provider !== 'openai' ? undefined : { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }[code]
  const itsCode = errorCode ?? openaiCode
  return {
    status: code,
    message: scenario.message ?? standard ?? `Status ${code}`,
    ...(type === undefined ? {} : { type }),
    ...(itsCode === undefined ? {} : { code: itsCode }),
    headers,
  }
}
