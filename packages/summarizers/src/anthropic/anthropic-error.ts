import type { SummarizerFailure, TokenUsage } from '@tenfold/core/summarizer'
import { codesOf, retriesAfter } from '../provider/error-codes.ts'
import { ModelError } from '../provider/model.ts'
import { redirectAdvice } from '../provider/no-redirect.ts'
import { plainLine } from '../provider/plain-line.ts'
import { retryAfterMs } from '../provider/retry-after.ts'

/** Known facts about a call that failed. */
export interface FailedCall {
  /** Whether the answer had begun. @default false */
  readonly answering?: boolean
  readonly usage?: TokenUsage | undefined
  readonly model?: string | undefined
  readonly requestId?: string | undefined
  /** Keys that no message may contain. */
  readonly secrets?: readonly string[]
}

/** An error as the API reports it, in a reply, in a stream or in a row of a batch. */
export interface AnthropicProblem {
  readonly status?: number | undefined
  /** `error.type` */
  readonly type?: string | null | undefined
  /** `error.details.error_code` */
  readonly errorCode?: string | null | undefined
  readonly message?: string | null | undefined
}

/**
 * Converts what the SDK threw to a ModelError. Leaves out a `cause` that may quote the prompt or a key. Recognises
 * errors by their fields, not by their class: a client that is passed in may come from another copy of the SDK.
 */
export function anthropicError(error: unknown, call: FailedCall = {}): ModelError {
  const thrown = fieldsOf(error)
  const details = { usage: call.usage, model: call.model, requestId: thrown.requestID ?? call.requestId }
  const line = (text: string): string => plainLine(text, call.secrets)

  if (thrown.name === 'APIConnectionTimeoutError')
    return new ModelError('Anthropic gave no answer in time', {
      reason: 'timeout',
      retryable: true,
      ...details,
    })
  if (thrown.name === 'APIConnectionError')
    return new ModelError(`Anthropic was not reached: ${line(rootOf(error) || 'connection error')}`, {
      reason: 'connection',
      retryable: true,
      ...retriesAfter(codesOf(error)),
      ...details,
    })

  const redirect = redirectAdvice(thrown.status, thrown.headers?.get('location'))
  if (redirect !== undefined)
    return new ModelError(`Anthropic: ${redirect}`, { reason: 'bad-request', ...details })
  if (thrown.isApiError && (thrown.status !== undefined || streamFailures.has(thrown.type ?? ''))) {
    const { reason, retryable } = classify(thrown)
    const kind = thrown.type === undefined ? '' : `${thrown.type}: `
    const what = thrown.status === undefined ? 'broke off its answer with' : `answered ${thrown.status},`
    const wait = retryAfterMs((name) => thrown.headers?.get(name))
    const hint = thrown.status === 404 ? unknownHint : (hints.get(reason) ?? '')
    return new ModelError(`Anthropic ${what} ${kind}${line(thrown.message)}${hint}`, {
      reason,
      retryable: permanent.has(reason) ? false : (shouldRetry(thrown.headers) ?? retryable),
      retryAfterMs: wait,
      ...details,
    })
  }

  if (call.answering === true) return cutOff(error, details)
  if (thrown.code === 'ERR_INVALID_URL')
    return new ModelError('Anthropic was not asked: the base URL is not a valid URL', {
      reason: 'bad-request',
    })
  // A failure before there is an answer that is not of the connection comes from how the SDK gets its credentials.
  const why = /^Could not resolve authentication/i.test(thrown.message)
    ? 'it needs an API key'
    : `no usable credentials: ${line(thrown.message)}`
  return new ModelError(`Anthropic was not asked: ${why}; set ANTHROPIC_API_KEY, or pass apiKey`, {
    reason: 'auth',
    ...details,
  })
}

/** The error for an answer that stopped before its end. It is billed anyway. */
export function cutOff(
  error: unknown,
  details: Pick<FailedCall, 'usage' | 'model' | 'requestId'>,
): ModelError {
  const code = codesOf(error)[0]
  return new ModelError(
    `Anthropic's answer broke off before its end${code === undefined ? '' : ` (${code})`}`,
    {
      reason: 'cut-off',
      retryable: true,
      ...details,
    },
  )
}

/** Why a request failed, and whether a retry may succeed, by what the API reported. */
export function classify(problem: AnthropicProblem): { reason: SummarizerFailure; retryable: boolean } {
  const { status, type, errorCode } = problem
  const message = problem.message ?? ''
  const any = (codes: readonly number[], types: readonly string[]): boolean =>
    status === undefined ? types.includes(type ?? '') : codes.includes(status)

  if (any([402], ['billing_error']) || errorCode?.endsWith('spend_limit_reached') === true)
    return { reason: 'spend-limit', retryable: false }
  if (any([400], ['invalid_request_error'])) {
    if (/prompt is too long|exceeds? (?:the )?context (?:limit|window)/i.test(message))
      return { reason: 'prompt-too-long', retryable: false }
    if (/credit balance is too low/i.test(message)) return { reason: 'spend-limit', retryable: false }
  }
  if (any([401, 403], ['authentication_error', 'permission_error']))
    return { reason: 'auth', retryable: false }
  if (any([413], ['request_too_large'])) return { reason: 'prompt-too-long', retryable: false }
  if (any([429], ['rate_limit_error'])) return { reason: 'rate-limited', retryable: true }
  if (any([529], ['overloaded_error'])) return { reason: 'overloaded', retryable: true }
  if (any([408, 409], ['api_error', 'timeout_error', 'conflict_error']) || (status ?? 0) >= 500)
    return { reason: 'server-error', retryable: true }
  return { reason: 'bad-request', retryable: false }
}

/** Types of an error in a stream that say why it ends; after any other the answer is simply cut off. */
const streamFailures: ReadonlySet<string> = new Set([
  'overloaded_error',
  'rate_limit_error',
  'api_error',
  'timeout_error',
  'authentication_error',
  'permission_error',
  'billing_error',
  'invalid_request_error',
  'request_too_large',
  'not_found_error',
])

const permanent: ReadonlySet<SummarizerFailure> = new Set(['auth', 'spend-limit'])

const hints: ReadonlyMap<SummarizerFailure, string> = new Map([
  ['auth', ' (check the API key and what it may use)'],
  ['spend-limit', ' (raise the limit or add credit: retrying does not help)'],
])

const unknownHint = ' (check the name of the model, and the base URL if you set one)'

function shouldRetry(headers: Headers | undefined): boolean | undefined {
  const header = headers?.get('x-should-retry')
  return header === 'true' ? true : header === 'false' ? false : undefined
}

interface Thrown {
  readonly isApiError: boolean
  readonly name: string
  readonly message: string
  readonly status: number | undefined
  readonly type: string | undefined
  readonly errorCode: string | undefined
  readonly code: string | undefined
  readonly requestID: string | undefined
  readonly headers: Headers | undefined
}

/** The fields of an SDK's error, each checked for its expected type. */
function fieldsOf(error: unknown): Thrown {
  const it: Readonly<Record<string, unknown>> =
    typeof error === 'object' && error !== null ? { ...error, ...named(error) } : { message: String(error) }
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
  return {
    isApiError: 'status' in it && 'apiMessage' in it,
    name: text(it.name) ?? '',
    message: text(it.apiMessage) ?? (text(it.message) ?? '').replace(/^\d{3} /, ''),
    status: typeof it.status === 'number' ? it.status : undefined,
    type: text(it.type),
    errorCode: text(it.errorCode),
    code: text(it.code),
    requestID: text(it.requestID),
    headers: it.headers instanceof Headers ? it.headers : undefined,
  }
}

/** Fields of an error that spreading leaves out. */
function named(error: object): { name?: unknown; message?: unknown } {
  return {
    ...('name' in error ? { name: error.name } : {}),
    ...('message' in error ? { message: error.message } : {}),
  }
}

/** The message of the root cause of an error, below `fetch failed` and the like. */
function rootOf(error: unknown): string {
  let root = error
  for (let depth = 0; depth < 8 && root instanceof Error && root.cause instanceof Error; depth++)
    root = root.cause
  return root instanceof Error ? root.message || (codesOf(root)[0] ?? root.name) : ''
}
