import { backoff, sleep } from '@tenfold/core/internal/locks'

/** Limits of retries. */
export interface RetryTimes {
  /** Maximum requests for one step of an operation. */
  readonly attempts: number
  /** Upper bound of the first wait. Each further one is twice as long. */
  readonly firstDelayMs: number
  /** Longest wait between two attempts. */
  readonly maxDelayMs: number
  /** How long a connection may be silent or take to open. */
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
// Temporary errors of https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
const passing = new Set([
  ...['ConditionalRequestConflict', 'OperationAborted', 'RequestTimeout', 'SlowDown', 'InternalError'],
  ...['ServiceUnavailable', 'Throttling', 'ThrottlingException', 'TooManyRequests', 'TimeoutError'],
])

/** Fields of the SDK's errors, read defensively: an error may be any value. */
export interface FailedAnswer {
  /** S3's error code, or the error's name. */
  readonly name: string
  readonly message: string
  readonly status?: number
  /** System error code, from this error or its cause. */
  readonly code?: string
  readonly clockCorrected: boolean
}

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

/** The bytes differ from those that were put: damaged in transit, or, if this repeats, in the store. */
export class DamagedObjectError extends BrokenAnswerError {}

export function isPassing(error: unknown): boolean {
  if (error instanceof BrokenAnswerError) return true
  const { name, status, code, message, clockCorrected } = answerOf(error)
  // The body was cut off, whatever the status was.
  if (networkCodes.has(code ?? '') || message.startsWith('aborted')) return true
  if (clockCorrected || passing.has(name)) return true
  // A 200 with a broken body has no error code.
  return (
    status === 200 ||
    status === 408 ||
    status === 429 ||
    (status !== undefined && status >= 500 && status !== 501)
  )
}

/** Whether a request failed before it reached a server, so that it had no effect. */
export function neverArrived(error: unknown): boolean {
  const { code } = answerOf(error)
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

/** Waits before attempt `attempt + 1`. */
export async function waitBefore(attempt: number, { firstDelayMs, maxDelayMs }: RetryTimes): Promise<void> {
  await sleep(backoff(attempt - 1, { firstMs: firstDelayMs, mostMs: maxDelayMs }))
}

// Separate from the retries of models, where each attempt is billed and limited and the provider sets the wait. Here,
// requests are free, and a put whose answer was lost first looks at what is stored.
/** Runs a repeatable request until it succeeds, fails permanently, or has used all attempts. */
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
