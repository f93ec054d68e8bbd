import { codesOf, retriesAfter } from '../provider/error-codes.ts'
import { failureError, failureOf } from '../provider/failure-error.ts'
import { fieldsOf, stringOf } from '../provider/fields.ts'
import { ModelError, type ModelErrorOptions } from '../provider/model.ts'
import { plainLine } from '../provider/plain-line.ts'
import { retryAfterMs } from '../provider/retry-after.ts'

/** Known facts about a call besides its text. */
export type KnownCall = Pick<ModelErrorOptions, 'usage' | 'model' | 'requestId'>

/**
 * Converts what a model of the AI SDK threw to a ModelError. Leaves out the `cause`: an error of a call holds the prompt.
 * Recognizes errors by their names and fields, since each provider may bring its own copy of their classes.
 */
export function aiSdkError(error: unknown, known: KnownCall, answering: boolean): ModelError {
  if (error instanceof ModelError) return error
  if (!(error instanceof Error)) return reportedError(error, known)
  const { status, code, type, headers, isRetryable } = refusalOf(error)
  if (status !== undefined && status >= 400) {
    const header = (name: string) => stringOf(headers[name])
    const requestId = known.requestId ?? header('x-request-id') ?? header('request-id')
    return failureError(
      failureOf({ code, type, message: error.message }, status),
      { ...known, requestId },
      header('x-should-retry') ?? (isRetryable === false ? 'false' : undefined),
      retryAfterMs(header),
    )
  }
  const said = plainLine(error.message)
  if (/LoadAPIKeyError|AuthenticationError/.test(error.name))
    return new ModelError(`the model was not asked: ${said}`, { reason: 'auth', ...known })
  if (misused.test(error.name))
    return new ModelError(`the model was not asked: ${said}`, { reason: 'bad-request', ...known })
  const codes = codesOf(error)
  const text = codes.length > 0 ? `${said} (${codes.join(', ')})` : said
  const isBroken = answering || status !== undefined || broken.test(error.name)
  if (isBroken)
    return new ModelError(`the answer broke off: ${text}`, { reason: 'cut-off', retryable: true, ...known })
  if (codes.length > 0 || /cannot connect|fetch failed/i.test(error.message))
    return new ModelError(`the server was not reached: ${text}`, {
      reason: 'connection',
      retryable: true,
      ...retriesAfter(codes),
      ...known,
    })
  return new ModelError(`the call failed: ${text}`, { reason: 'unknown', ...known })
}

/** The request was never sent. */
const misused = /LoadSettingError|NoSuchModel|UnsupportedFunctionality|InvalidArgument|InvalidPrompt/
/** The server answered, but not with what the provider expects. */
const broken = /EmptyResponseBody|JSONParseError|TypeValidationError|InvalidResponseData|InvalidStreamPart/

/** Converts what a provider reported within a stream: an error, a text, or an object of any form. */
export function reportedError(reported: unknown, known: KnownCall): ModelError {
  if (reported instanceof Error) return aiSdkError(reported, known, true)
  if (typeof reported === 'string') return failureError(failureOf({ message: reported }, undefined), known)
  const { error = reported } = fieldsOf(reported)
  const { code, type, message } = fieldsOf(error)
  const status = typeof code === 'number' && code >= 400 ? code : undefined
  return failureError(failureOf({ code, type, message: String(message ?? '') }, status), known)
}

/** What a failed call says in its fields: those of `APICallError`, and of the errors of Vercel's gateway. */
export function refusalOf(error: Error): {
  readonly status: number | undefined
  readonly message: string
  readonly code: unknown
  readonly type: unknown
  readonly param: unknown
  readonly headers: Readonly<Record<string, unknown>>
  readonly isRetryable: unknown
} {
  const { statusCode, data, responseHeaders, isRetryable, type: ownType } = fieldsOf(error)
  const { error: body = data } = fieldsOf(data)
  const { code, type = ownType, param } = fieldsOf(body)
  return {
    status: typeof statusCode === 'number' ? statusCode : undefined,
    message: error.message,
    code,
    type,
    param,
    headers: fieldsOf(responseHeaders),
    isRetryable,
  }
}
