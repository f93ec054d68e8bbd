import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'
import { codesOf, retriesAfter } from '../provider/error-codes.ts'
import { failureError, failureOf } from '../provider/failure-error.ts'
import { fieldsOf, stringOf } from '../provider/fields.ts'
import { ModelError } from '../provider/model.ts'
import { redirectAdvice } from '../provider/no-redirect.ts'
import { plainLine } from '../provider/plain-line.ts'
import { retryAfterMs } from '../provider/retry-after.ts'
import type { AnswerFacts } from './answer.ts'

/**
 * Converts what a call of the SDK threw to a ModelError; `facts` is what was known of the answer by then. The SDK may
 * be another copy or version than the one imported here, so its classes only add to what the fields say.
 */
export function openaiError(error: unknown, facts: AnswerFacts = { usage: {} }): ModelError {
  if (error instanceof ModelError) return withFacts(error, facts)
  const { status, code, type, error: body, requestID } = ownFields(error)
  const message = error instanceof Error ? error.message : ''
  const known = { ...facts, requestId: stringOf(requestID) ?? facts.requestId, cause: error }
  if (typeof status === 'number') {
    const headers = headersOf(error)
    const redirect = redirectAdvice(status, headers('location'))
    if (redirect !== undefined) return new ModelError(redirect, { reason: 'bad-request', ...known })
    const failure = failureOf({ code, type, message }, status)
    return failureError(failure, known, headers('x-should-retry'), retryAfterMs(headers))
  }
  // An event `error` of a stream: thrown as APIError without a status, by the stream helper of openai 6 as a plain
  // object.
  if (body !== undefined && body !== null) return reportedError(body, facts, error)
  if (!(error instanceof Error)) return reportedError(error, facts, error)
  const codes = codesOf(error)
  const text = withCodes(message, codes)
  if (error instanceof APIConnectionTimeoutError || /^request timed out/i.test(message))
    return new ModelError(`no answer in time: ${text}`, { reason: 'timeout', retryable: true, ...known })
  if (error instanceof APIConnectionError || /^connection error|fetch failed/i.test(message))
    return new ModelError(`the server was not reached: ${text}; is it running, and is the baseURL right?`, {
      reason: 'connection',
      retryable: !codes.some((name) => badCertificate.test(name)),
      ...retriesAfter(codes),
      ...known,
    })
  // A SyntaxError is how the SDK reports half a body.
  if (
    brokenOff.test(`${error.name} ${message}`) ||
    codes.some((name) => brokenOff.test(name)) ||
    error instanceof SyntaxError
  )
    return cutOff(error, facts)
  if (error instanceof APIError) return failureError(failureOf({ message }, undefined), known)
  return new ModelError(`the call failed: ${text}`, { reason: 'unknown', ...known })
}

/** The error for an answer that stopped in the middle, for any reason. */
export function cutOff(error: unknown, facts: AnswerFacts = { usage: {} }): ModelError {
  const text = withCodes(error instanceof Error ? error.message : '', codesOf(error))
  return new ModelError(`the answer broke off: ${text}`, {
    reason: 'cut-off',
    retryable: true,
    ...facts,
    cause: error,
  })
}

function withCodes(message: string, codes: readonly string[]): string {
  return `${plainLine(message)}${codes.length > 0 ? ` (${codes.join(', ')})` : ''}`
}

/** Adds the facts of the call to an error of the body reader, which does not know them. */
function withFacts(error: ModelError, facts: AnswerFacts): ModelError {
  const { message, reason, retryable, cause } = error
  const isKnown = error.requestId !== undefined || Object.keys(error.usage).length > 0
  return isKnown ? error : new ModelError(message, { reason, retryable, cause, ...facts })
}

/**
 * Converts a failure that the provider reports in a body or a stream, after it answered 200: `{ code, type, message }`.
 */
export function reportedError(reported: unknown, facts: AnswerFacts, cause?: unknown): ModelError {
  const { code, type, message } = typeof reported === 'string' ? { message: reported } : fieldsOf(reported)
  const status = typeof code === 'number' && code >= 400 ? code : undefined
  const text = typeof message === 'string' ? message : ''
  return failureError(failureOf({ code, type, message: text }, status), {
    ...facts,
    cause: cause ?? reported,
  })
}

const brokenOff =
  /terminated|aborted|AbortError|ECONNRESET|EPIPE|UND_ERR_(?:SOCKET|BODY_TIMEOUT)|premature close|other side closed/i
const badCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS/

function ownFields(error: unknown): Readonly<Record<string, unknown>> {
  return typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>) : {}
}

function headersOf(error: unknown): (name: string) => string | undefined {
  const { headers } = ownFields(error)
  return (name) => {
    const value = headers instanceof Headers ? headers.get(name) : fieldsOf(headers)[name]
    return stringOf(value)
  }
}
