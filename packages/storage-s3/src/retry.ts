import { backoff, sleep } from '@tenfold/core/internal/locks'

/** How often and how patiently a request is sent. */
export interface RetryTimes {
  /** Requests in all for one step of an operation. */
  readonly attempts: number
  /** Upper bound of the first wait; each further one is twice as long. */
  readonly firstDelayMs: number
  /** Longest wait between two attempts. */
  readonly maxDelayMs: number
  /** How long a connection may be silent, and may take to open. */
  readonly idleMs: number
}

export const defaultRetryTimes: RetryTimes = {
  attempts: 6,
  firstDelayMs: 100,
  maxDelayMs: 5_000,
  idleMs: 30_000,
}

const networkCodes = new Set([
  ...[
    'ECONNRESET',
    'ECONNREFUSED',
    'ECONNABORTED',
    'EPIPE',
    'ETIMEDOUT',
    'EAI_AGAIN',
    'ENETUNREACH',
    'EHOSTUNREACH',
  ],
  ...['ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_CONSTANT', 'ENETDOWN'],
])
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html: those that pass by themselves.
const passing = new Set([
  ...['ConditionalRequestConflict', 'OperationAborted', 'RequestTimeout', 'SlowDown', 'InternalError'],
  ...['ServiceUnavailable', 'Throttling', 'ThrottlingException', 'TooManyRequests', 'TimeoutError'],
])

/** Fields of the SDK's errors, read defensively: an error may be any value. */
export interface FailedAnswer {
  /** Code of S3, or the name of the error. */
  readonly name: string
  readonly message: string
  readonly status?: number
  /** Code of the system, from this error or its cause. */
  readonly code?: string
  readonly clockCorrected: boolean
}

/** Reads an error of the SDK. */
export function answerOf(error: unknown): FailedAnswer {
  if (typeof error !== 'object' || error === null)
    return { name: '', message: String(error), clockCorrected: false }
  const { name, Code, message, code, errno, cause, $metadata } = error as Record<string, unknown>
  const { httpStatusCode, clockSkewCorrected } = (
    typeof $metadata === 'object' && $metadata !== null ? $metadata : {}
  ) as Record<string, unknown>
  const causeCode = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  const system = [code, errno, causeCode].find((value) => typeof value === 'string')
  return {
    name: typeof Code === 'string' ? Code : String(name ?? ''),
    message: String(message ?? ''),
    ...(typeof httpStatusCode === 'number' && { status: httpStatusCode }),
    ...(typeof system === 'string' && { code: system }),
    clockCorrected: clockSkewCorrected === true,
  }
}

/** An answer that arrived incomplete. */
export class BrokenAnswerError extends Error {}

/** Bytes that differ from those that were put: damaged on the way or, if they arrive so each time, in the store. */
export class DamagedObjectError extends BrokenAnswerError {}

export function isPassing(error: unknown): boolean {
  if (error instanceof BrokenAnswerError) return true
  const { name, status, code, message, clockCorrected } = answerOf(error)
  // No matter what the head of the answer said, its body was cut.
  if (networkCodes.has(code ?? '') || message.startsWith('aborted')) return true
  if (clockCorrected || passing.has(name)) return true
  // A 200 with a broken body has no code of its own.
  return (
    status === 200 ||
    status === 408 ||
    status === 429 ||
    (status !== undefined && status >= 500 && status !== 501)
  )
}

/** Whether a request failed before it reached a server, so that nothing can have happened. */
export function neverArrived(error: unknown): boolean {
  const { code } = answerOf(error)
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

/** Waits before attempt `attempt + 1`. */
export async function waitBefore(attempt: number, { firstDelayMs, maxDelayMs }: RetryTimes): Promise<void> {
  await sleep(backoff(attempt - 1, { firstMs: firstDelayMs, mostMs: maxDelayMs }))
}

// The retries of models are a loop of their own: there each attempt is billed and limited, and the provider says how
// long to wait. Here a request is free, and a put whose answer was lost first looks at what is stored.
/** Runs a repeatable request until it succeeds, fails for good, or was tried often enough. */
export async function retrying<T>(times: RetryTimes, request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      if (attempt >= times.attempts || !isPassing(error)) throw error
    }
    await waitBefore(attempt, times)
  }
}
