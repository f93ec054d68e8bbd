import type { SummarizerFailure } from '@tenfold/core/summarizer'
import { known, stringOf } from './fields.ts'
import { ModelError, type ModelErrorOptions } from './model.ts'
import { plainLine } from './plain-line.ts'

/** The parts of an error that matter, no matter how it arrived. */
export interface Failure {
  readonly status?: number
  readonly code?: string
  readonly type?: string
  readonly message: string
}

type KnownCall = Pick<ModelErrorOptions, 'usage' | 'model' | 'requestId' | 'cause'>

/**
 * The error for a failure that a provider reported, by its status, codes and words; `known` is what was known of the
 * call by then.
 */
export function failureError(
  failure: Failure,
  known: KnownCall,
  shouldRetry?: string,
  waitMs?: number,
): ModelError {
  const reason = reasonOf(failure)
  const said = plainLine(failure.message)
  const prefix =
    failure.status === undefined || said.startsWith(String(failure.status)) ? '' : `${failure.status} `
  const retryable = shouldRetry === 'true' || (shouldRetry !== 'false' && passing.has(reason))
  const who = failure.status === undefined ? 'the server reported' : 'the server answered'
  return new ModelError(`${who}: ${prefix}${said}${advice.get(failure.status ?? 0) ?? ''}`, {
    reason,
    retryable: retryable && reason !== 'spend-limit',
    retryAfterMs: waitMs,
    ...known,
  })
}

/** Reasons that a retry may overcome. */
const passing: ReadonlySet<SummarizerFailure> = new Set<SummarizerFailure>([
  'rate-limited',
  'overloaded',
  'server-error',
  'timeout',
  'invalid-output',
])

const advice = new Map([
  [401, '; check the API key'],
  [403, '; check what the API key may do'],
  [404, '; check the model and the baseURL (often it ends in /v1)'],
])

const spent = /^(?:insufficient_quota|billing_.+|insufficient_credits)$/
const tooLong =
  /context.?(?:length|window|size)|max_model_len|maximum model length|(?:prompt|input) (?:is|was) too long|input length exceeds|string_above_max_length/i
// Larger than the tokens per minute: waiting does not help, a smaller part does.
const overMinute = /request too large/i
// LM Studio answers 200 if it does not know the path.
const unknownPath = /unexpected endpoint/i
const filtered = /content_filter|policy|moderation/i
const flagged = /\bflagged\b|requires moderation/i

function reasonOf({ status = 0, code = '', type = '', message }: Failure): SummarizerFailure {
  if (status === 402 || spent.test(code) || spent.test(type)) return 'spend-limit'
  if (status === 401) return 'auth'
  if (filtered.test(code) || flagged.test(message)) return 'content-filter'
  if (status === 403) return 'auth'
  if (status === 429 || code === 'rate_limit_exceeded')
    return overMinute.test(message) ? 'prompt-too-long' : 'rate-limited'
  if (status === 413 || [code, type, message].some((text) => tooLong.test(text))) return 'prompt-too-long'
  // Groq: the model did not keep to the schema.
  if (code === 'json_validate_failed') return 'invalid-output'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 503 || status === 529 || /overloaded/i.test(`${code} ${type}`)) return 'overloaded'
  if (status === 409 || status >= 500 || /server_error|internal/i.test(`${code} ${type}`))
    return 'server-error'
  if (status >= 400 || code !== '' || /invalid_request/.test(type) || unknownPath.test(message))
    return 'bad-request'
  return 'server-error'
}

/** Leaves out what is unknown. */
export function failureOf(
  { code, type, message }: { code?: unknown; type?: unknown; message: string },
  status: number | undefined,
): Failure {
  return {
    message,
    ...known({ status, code: stringOf(code), type: type === 'error' ? undefined : stringOf(type) }),
  }
}
