import {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  OpenAIError,
} from 'openai'
import { describe, expect, it } from 'vitest'
import { callError } from '../../src/provider/call-error.ts'
import { failureError } from '../../src/provider/failures.ts'
import { ModelError } from '../../src/provider/model.ts'

function apiError(status: number, error: object | undefined, headers: Record<string, string> = {}): APIError {
  return APIError.generate(status, error && { error }, undefined, new Headers(headers))
}

describe('an error of a call', () => {
  it.each([
    [400, {}, 'bad-request', false],
    [500, { message: 'model requires more system memory (20.0 GiB)' }, 'bad-request', false],
    [400, { message: 'Your credit balance is too low to access the API.' }, 'spend-limit', false],
    [401, { code: 'invalid_api_key' }, 'auth', false],
    [402, { message: 'Insufficient credits' }, 'spend-limit', false],
    [403, {}, 'auth', false],
    [403, { message: 'Your input was flagged by moderation' }, 'content-filter', false],
    [404, { code: 'model_not_found' }, 'bad-request', false],
    [408, {}, 'timeout', true],
    [409, {}, 'server-error', true],
    [413, {}, 'prompt-too-long', false],
    [422, {}, 'bad-request', false],
    [429, { code: 'rate_limit_exceeded' }, 'rate-limited', true],
    [429, { code: 'insufficient_quota', type: 'insufficient_quota' }, 'spend-limit', false],
    [429, { code: 'billing_hard_limit_reached' }, 'spend-limit', false],
    [
      429,
      { code: 'rate_limit_exceeded', message: 'Request too large for gpt-6 on tokens per min' },
      'prompt-too-long',
      false,
    ],
    [500, {}, 'server-error', true],
    [502, {}, 'server-error', true],
    [503, {}, 'overloaded', true],
    [504, {}, 'timeout', true],
    [529, {}, 'overloaded', true],
    [400, { code: 'content_filter' }, 'content-filter', false],
    [400, { code: 'json_validate_failed' }, 'invalid-output', true],
  ])('turns %i %j into %s', (status, body, reason, retryable) => {
    expect(callError(apiError(status, { message: 'It did not work.', ...body }))).toMatchObject({
      reason,
      retryable,
    })
  })

  it.each([
    [400, { code: 'context_length_exceeded' }],
    [
      400,
      {
        message: "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens.",
      },
    ],
    [
      400,
      {
        code: 400,
        type: 'exceed_context_size_error',
        message: 'the request exceeds the available context size',
      },
    ],
    [400, { message: 'Your input exceeds the context window of this model.' }],
    [400, { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' }],
    [400, { message: 'prompt is too long: 300000 tokens > 200000 maximum' }],
    [500, { message: 'the model is loaded with context length of only 4096 tokens' }],
    [400, { code: 'string_above_max_length', message: 'string too long' }],
    [400, { message: 'input length and `max_tokens` exceed context limit: 9 + 9 > 10' }],
    [400, { message: 'The input token count (300) exceeds the maximum number of tokens allowed (200).' }],
    [
      400,
      { message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
    ],
    [
      400,
      { message: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
    ],
  ])('recognizes a prompt that is too long by %i %j', (status, body) => {
    expect(callError(apiError(status, body))).toMatchObject({ reason: 'prompt-too-long', retryable: false })
  })

  it.each([
    'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens',
    'The model does not exist; its context window is unknown.',
    'context_management: Extra inputs are not permitted',
    'The context size of the cache is invalid.',
  ])('takes "%s" for no prompt that is too long', (message) => {
    expect(callError(apiError(400, { message })).reason).toBe('bad-request')
  })

  it('obeys x-should-retry, but never retries at a spend limit', () => {
    expect(callError(apiError(400, {}, { 'x-should-retry': 'true' })).retryable).toBe(true)
    expect(callError(apiError(500, {}, { 'x-should-retry': 'false' })).retryable).toBe(false)
    const spent = apiError(429, { code: 'insufficient_quota' }, { 'x-should-retry': 'true' })
    expect(callError(spent).retryable).toBe(false)
  })

  it('keeps the id of the request and the time to wait, of any length', () => {
    const error = apiError(429, {}, { 'x-request-id': 'req_7', 'retry-after': '3600' })
    expect(callError(error)).toMatchObject({ requestId: 'req_7', retryAfterMs: 3_600_000 })
    expect(callError(error).cause).toBeUndefined()
  })

  it('recognizes the errors of another copy or version of the SDK by their fields', () => {
    const other = Object.assign(new Error('429 slow down'), {
      status: 429,
      headers: new Headers({ 'retry-after-ms': '40' }),
      requestID: 'req_8',
      code: null,
    })
    expect(callError(other)).toMatchObject({ reason: 'rate-limited', retryAfterMs: 40, requestId: 'req_8' })
    expect(callError(new Error('Connection error.'))).toMatchObject({
      reason: 'connection',
      retryable: true,
    })
    expect(callError(new Error('Request timed out.'))).toMatchObject({ reason: 'timeout', retryable: true })
  })

  it('reads an error event: an APIError without status, and the plain object that openai 6 throws', () => {
    const event = {
      type: 'error',
      code: 'server_error',
      message: 'It broke.',
      param: null,
      sequence_number: 9,
    }
    const facts = { usage: { inputTokens: 3 }, requestId: 'req_1' }
    for (const thrown of [event, new APIError(undefined, event, undefined, new Headers())])
      expect(callError(thrown, facts)).toMatchObject({
        reason: 'server-error',
        retryable: true,
        usage: { inputTokens: 3 },
        requestId: 'req_1',
        message: expect.stringContaining('It broke.'),
      })
    const spent = { ...event, code: 'insufficient_quota' }
    for (const thrown of [spent, new APIError(undefined, spent, undefined, new Headers())])
      expect(callError(thrown)).toMatchObject({ reason: 'spend-limit', retryable: false })
  })

  it('distinguishes an answer that broke off from a server that was never reached', () => {
    const socket = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    for (const thrown of [
      new TypeError('terminated', { cause: socket }),
      new OpenAIError('terminated'),
      new DOMException('This operation was aborted', 'AbortError'),
      new APIUserAbortError(),
      Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    ])
      expect(callError(thrown)).toMatchObject({ reason: 'cut-off', retryable: true })
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const cause = new TypeError('fetch failed', { cause: refused })
    expect(callError(new APIConnectionError({ message: 'Connection error.', cause }))).toMatchObject({
      reason: 'connection',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(callError(new APIConnectionTimeoutError())).toMatchObject({ reason: 'timeout', retryable: true })
    const certificate = Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(callError(new APIConnectionError({ message: undefined, cause: certificate }))).toMatchObject({
      reason: 'connection',
      retryLimit: 1,
    })
  })

  it('returns a ModelError as it is and does not hide a fault of its own', () => {
    const error = new ModelError('x', { reason: 'stalled', requestId: 'req_1' })
    expect(callError(error, { usage: {}, requestId: 'req_2' })).toBe(error)
    const bare = new ModelError('y', { reason: 'cut-off', retryable: true })
    expect(callError(bare, { usage: { inputTokens: 1 }, requestId: 'req_2' })).toMatchObject({
      message: 'y',
      reason: 'cut-off',
      retryable: true,
      usage: { inputTokens: 1 },
      requestId: 'req_2',
    })
    expect(callError(new TypeError('x is not a function'))).toMatchObject({
      reason: 'unknown',
      retryable: false,
    })
    for (const thrown of [undefined, null, 3, 'text']) expect(callError(thrown)).toBeInstanceOf(ModelError)
  })

  it.each([
    ['request_too_large', 'prompt-too-long', false],
    ['overloaded_error', 'overloaded', true],
    ['api_error', 'server-error', true],
    ['rate_limit_error', 'rate-limited', true],
    ['timeout_error', 'timeout', true],
    ['authentication_error', 'auth', false],
    ['invalid_request_error', 'bad-request', false],
    ['billing_error', 'spend-limit', false],
    ['permission_error', 'auth', false],
    ['not_found_error', 'bad-request', false],
    ['strange_error', 'server-error', true],
  ])('reads the type %s of a stream or a batch, which has no status', (type, reason, retryable) => {
    expect(failureError({ type, message: 'no' })).toMatchObject({ reason, retryable })
  })
})
