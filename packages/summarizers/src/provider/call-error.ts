import { fieldsOf, stringOf } from '@tenfold/core/internal/summarizer'
import type { SummarizerFailure } from '@tenfold/core/summarizer'
import { type FailedCall, type Failure, failureError, failureOf, plainLine } from './failures.ts'
import { ModelError } from './model.ts'

/**
 * Converts what a call of an SDK threw to a ModelError. Leaves out a `cause` that may quote the prompt or a key.
 * Recognizes errors by their names and fields, not by their classes: a client may come from another copy or version of
 * the SDK than the one imported here.
 */
export function callError(error: unknown, call: FailedCall = {}): ModelError {
  if (error instanceof ModelError) return withFacts(error, call)
  const refused = refusalOf(error)
  const { status, header } = refused
  const requestId = call.requestId ?? refused.requestId
  const redirect = redirectAdvice(status, header('location'))
  if (redirect !== undefined)
    return new ModelError(`${call.vendor ?? 'the server'}: ${redirect}`, { reason: 'bad-request', requestId })
  if (status !== undefined && status >= 400)
    return failureError(refused, { ...call, requestId }, { ...refused, retryAfterMs: retryAfterMs(header) })
  // An event `error` of a stream: some SDKs throw it with its body, some as it is.
  if (refused.body !== undefined) return reportedError(refused.body, { ...call, requestId })
  if (!(error instanceof Error)) return reportedError(error, call)
  // With a status, the server answered, but not with what the SDK expects.
  return thrownError(error, { ...call, answering: call.answering || status !== undefined })
}

/** Converts a failure that the provider reports in a body or a stream: an error, a text, or an object of any form. */
export function reportedError(reported: unknown, call: FailedCall): ModelError {
  if (reported instanceof Error) return callError(reported, { ...call, answering: true })
  if (typeof reported === 'string') return failureError({ message: reported }, call)
  const { error = reported } = fieldsOf(reported)
  const { code } = fieldsOf(error)
  return failureError(
    failureOf(fieldsOf(error), typeof code === 'number' && code >= 400 ? code : undefined),
    call,
  )
}

/** What a failed call says in its fields, by the names that the SDKs of all vendors give them. */
export interface Refusal extends Failure {
  readonly param: unknown
  readonly body: unknown
  readonly requestId: string | undefined
  readonly shouldRetry: string | undefined
  readonly header: (name: string) => string | undefined
}

export function refusalOf(error: unknown): Refusal {
  const fields = fieldsOf(error)
  const status = [fields.status, fields.statusCode, fields.status_code].find((one) => typeof one === 'number')
  const { error: body = fields.data } = fieldsOf(fields.data)
  const { code = fields.errorCode ?? fields.code, type = fields.type, param = fields.param } = fieldsOf(body)
  const message = stringOf(fields.apiMessage) ?? (error instanceof Error ? error.message : fields.message)
  const { headers = fields.responseHeaders } = fields
  const header = (name: string) =>
    stringOf(headers instanceof Headers ? headers.get(name) : fieldsOf(headers)[name])
  return {
    ...failureOf({ code, type, message }, status as number | undefined),
    param,
    body: error instanceof Error ? (fields.error ?? undefined) : undefined,
    requestId: stringOf(fields.requestID) ?? header('x-request-id') ?? header('request-id'),
    shouldRetry: header('x-should-retry') ?? (fields.isRetryable === false ? 'false' : undefined),
    header,
  }
}

interface Thrown {
  /** In name, message and codes of the error. */
  readonly sign: RegExp
  readonly reason: SummarizerFailure
  /** What happened, after the name of the vendor. */
  readonly what: string
}

const notAsked: readonly Thrown[] = [
  {
    sign: /ERR_INVALID_URL|cannot be constructed from a URL/,
    reason: 'bad-request',
    what: 'was not asked: the base URL is not valid',
  },
  { sign: /LoadAPIKeyError|AuthenticationError/, reason: 'auth', what: 'was not asked' },
  {
    sign: /LoadSettingError|NoSuchModel|UnsupportedFunctionality|InvalidArgument|InvalidPrompt/,
    reason: 'bad-request',
    what: 'was not asked',
  },
  {
    sign: /ConnectionTimeoutError|request timed out|UND_ERR_HEADERS_TIMEOUT/i,
    reason: 'timeout',
    what: 'gave no answer in time',
  },
  {
    sign: /APIConnectionError|connection error|fetch failed|cannot connect/i,
    reason: 'connection',
    what: 'was not reached',
  },
]

/** If an error has no sign, but codes of the network; and if not. */
const unreached = { reason: 'connection', what: 'was not reached' } as const
const unknown = { reason: 'unknown', what: 'failed' } as const

// A SyntaxError is how SDKs report half a body; the last are those of the AI SDK.
const brokenOff =
  /terminated|aborted|AbortError|SyntaxError|ECONNRESET|EPIPE|UND_ERR_(?:SOCKET|BODY_TIMEOUT)|premature close|other side closed|EmptyResponseBody|JSONParseError|TypeValidationError|InvalidResponseData|InvalidStreamPart/i

function thrownError(error: Error, call: FailedCall): ModelError {
  const { vendor = 'the server', answering = false, secrets, usage, model, requestId } = call
  const codes = codesOf(error)
  const text = `${error.name} ${error.message} ${codes.join(' ')}`
  const why = `${plainLine(error.message, secrets)}${inBrackets(codes)}`
  const facts = { usage, model, requestId }
  const sign = answering ? undefined : notAsked.find((one) => one.sign.test(text))
  if (sign === undefined && (answering || brokenOff.test(text))) return cutOff(error, call)
  const { reason, what } = sign ?? (codes.length > 0 ? unreached : unknown)
  const { ifUnreached = 'is it running, and is the base URL right?' } = call
  return new ModelError(`${vendor} ${what}: ${reason === 'connection' ? `${ifUnreached} ${why}` : why}`, {
    reason,
    retryable: reason === 'timeout' || reason === 'connection',
    // Waiting changes little.
    ...(reason === 'connection' && codes.some((code) => lasting.test(code)) && { retryLimit: 1 }),
    ...facts,
  })
}

function inBrackets(codes: readonly string[]): string {
  return codes.length === 0 ? '' : ` (${codes.join(', ')})`
}

/** The error for an answer that stopped before its end, for any reason. It is billed anyway. */
export function cutOff(
  error: unknown,
  { vendor = 'the server', usage, model, requestId }: FailedCall = {},
): ModelError {
  return new ModelError(`the answer of ${vendor} broke off before its end${inBrackets(codesOf(error))}`, {
    reason: 'cut-off',
    retryable: true,
    usage,
    model,
    requestId,
  })
}

/** Adds the facts of the call to an error of a reader of bytes, which does not know them. */
function withFacts(error: ModelError, { usage, model, requestId }: FailedCall): ModelError {
  if (error.requestId !== undefined || Object.keys(error.usage).length > 0) return error
  return new ModelError(error.message, { ...error, usage, requestId, model: error.model ?? model })
}

const deepest = 8

/** Codes of the system and of the network library in an error and its causes, the outermost first. */
export function codesOf(error: unknown): string[] {
  const codes = new Set<string>()
  let at = error
  for (let depth = 0; depth < deepest && at instanceof Error; depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z_\d]{3,60}$/.test(at.code)) codes.add(at.code)
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined)
  }
  return [...codes]
}

/** Nothing listens there, the host does not exist or cannot be reached, or its certificate is not trusted. */
const lasting =
  /^(?:ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$|^ERR_TLS|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/

/**
 * Options of a request of the SDKs. A redirect would send the session, and keys in headers that `fetch` does not know,
 * to a server that nobody named; with these options the SDK throws for the status instead.
 */
export const noRedirect = { fetchOptions: { redirect: 'manual' } } as const

/**
 * The message for a reply that redirects; undefined for any other. `location` is the header, which may contain
 * anything.
 */
export function redirectAdvice(
  status: number | undefined,
  location: string | null | undefined,
): string | undefined {
  if (status === undefined || status < 300 || status > 399) return undefined
  const origin = location != null && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''
  return `the server redirects${origin}, and redirects are not followed: set the base URL to the address that requests should go to`
}

/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, otherwise `retry-after` in seconds or as a date.
 * Undefined if it does not say. Not capped: whether to wait is up to the caller.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Retry-After
 */
export function retryAfterMs(
  header: (name: string) => string | null | undefined,
  now = Date.now(),
): number | undefined {
  const milliseconds = numberOf(header('retry-after-ms'))
  if (milliseconds !== undefined) return milliseconds
  const after = header('retry-after')
  const seconds = numberOf(after)
  if (seconds !== undefined) return seconds * 1000
  // Date.parse takes almost anything for a date, even `-5`.
  const date = after?.includes(':') ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function numberOf(header: string | null | undefined): number | undefined {
  return header != null && /^\d{1,12}(\.\d+)?$/.test(header.trim()) ? Number(header) : undefined
}
