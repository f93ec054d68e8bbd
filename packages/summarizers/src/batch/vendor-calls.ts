import { createHash } from 'node:crypto'
import { known, parse as parseJson } from '@tenfold/core/internal/summarizer'
import { ModelError, type ModelReply } from '../provider/model.ts'
import type { BatchError } from './batch-error.ts'
import type {
  BatchProvider,
  BatchRow,
  ModelWindow,
  SubmissionResult,
  VendorBatch,
  WindowOptions,
} from './provider.ts'

/** Options for every SDK call. */
interface CallOptions {
  readonly signal: AbortSignal
  readonly maxRetries: 0
}

type Send<T> = (options: CallOptions) => PromiseLike<T>

/** How an adapter calls its SDK. An abort takes precedence over errors of the SDK. */
export interface VendorCalls {
  /** `missing` is the error for a 404. */
  call<T>(signal: AbortSignal, send: Send<T>, missing?: () => BatchError): Promise<T>
  submit(signal: AbortSignal, create: Send<VendorBatch>): Promise<SubmissionResult>
}

/** Timeouts and conflicts, after which the vendor may have accepted the batch. */
const notCertain = [408, 409]

/** Calls an SDK without its retries. `errorOf` converts its errors to ModelErrors. */
export function vendorCalls(errorOf: (error: unknown) => ModelError): VendorCalls {
  async function sent<T, U>(
    signal: AbortSignal,
    send: Send<T>,
    failed: (error: unknown) => U,
  ): Promise<T | U> {
    signal.throwIfAborted()
    try {
      // A new signal for each call, so that listeners of the SDK do not accumulate.
      return await send({ signal: AbortSignal.any([signal]), maxRetries: 0 })
    } catch (error) {
      signal.throwIfAborted()
      return failed(error)
    }
  }
  return {
    call: (signal, send, missing) =>
      sent(signal, send, (error): never => {
        throw missing !== undefined && statusOf(error) === 404 ? missing() : errorOf(error)
      }),
    submit: (signal, create) =>
      sent<SubmissionResult, SubmissionResult>(
        signal,
        async (options) => ({ outcome: 'created', batch: await create(options) }),
        (error) => {
          const status = statusOf(error)
          const refused = status >= 400 && status < 500 && !notCertain.includes(status)
          return { outcome: refused ? 'refused' : 'unknown', error: errorOf(error) }
        },
      ),
  }
}

/** HTTP status of an SDK error; 0 if it has none. */
function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? status : 0
}

/** A provider's common fields, from its adapter's options and client. */
export function providerHead(
  { model, maxInputTokens, ...options }: WindowOptions & { readonly model: string },
  { baseURL, apiKey }: { readonly baseURL: string; readonly apiKey: string | null },
  defaults: Omit<ModelWindow, 'maxInputTokens'>,
): Pick<BatchProvider, 'model' | 'endpoint' | 'keyFingerprint' | 'window'> {
  const fingerprint = apiKey ? createHash('sha256').update(apiKey).digest('hex').slice(0, 12) : undefined
  return {
    model,
    endpoint: baseURL.replace(/\/+$/, ''),
    ...known({ keyFingerprint: fingerprint }),
    window: {
      contextWindow: options.contextWindow ?? defaults.contextWindow,
      maxOutputTokens: options.maxOutputTokens ?? defaults.maxOutputTokens,
      tokenFactor: options.tokenFactor ?? defaults.tokenFactor,
      ...known({ maxInputTokens }),
    },
  }
}

/** A vendor's list, page by page, newest first. */
export async function* listed<T extends { readonly id: string }>(
  page: (after: string | undefined) => Promise<{ readonly data: readonly T[]; readonly has_more: boolean }>,
): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const { data, has_more } = await page(after)
    yield* data
    after = data.at(-1)?.id
    if (!has_more || after === undefined) return
  }
}

/**
 * JSON values of a downloaded file, one per line, as they arrive. Throws a retryable ModelError `cut-off` if the
 * download breaks off or the last line is incomplete.
 */
export async function* jsonLines(response: Response, signal: AbortSignal): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of response.body ?? []) {
      const lines = `${rest}${decoder.decode(bytes as Uint8Array, { stream: true })}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield* parsed(line)
    }
  } catch (cause) {
    signal.throwIfAborted()
    throw cause instanceof ModelError ? cause : cutOff('the download of the results broke off', cause)
  }
  yield* parsed(`${rest}${decoder.decode()}`)
}

function* parsed(line: string): Generator<unknown> {
  if (line.trim() === '') return
  const value = parseJson(line)
  if (value === undefined) throw cutOff('the download of the results has a line that is not JSON: it was cut')
  yield value
}

/** The error for incomplete results, which may be complete in another download. */
function cutOff(message: string, cause?: unknown): ModelError {
  return new ModelError(message, { reason: 'cut-off', retryable: true, cause })
}

/** The row of an answered request. It was billed, so it is not sent again even if the answer is unusable. */
export function answeredRow(customId: string, read: () => ModelReply): BatchRow {
  try {
    return { customId, reply: read() }
  } catch (error) {
    const { reason, retryable, message, usage, requestId } =
      error instanceof ModelError
        ? error
        : new ModelError('the provider gave an answer of an unknown form', { reason: 'invalid-output' })
    // Empty usage means that it is unknown, because the answer had begun.
    return { customId, error: { reason, retryable, message, usage, ...known({ requestId }) } }
  }
}

/** The row of a request that failed. */
export function failedRow(
  customId: string,
  { reason, retryable, message, usage, requestId }: ModelError,
): BatchRow {
  const billed = Object.keys(usage).length === 0 ? undefined : usage
  return { customId, error: { reason, retryable, message, ...known({ usage: billed, requestId }) } }
}

/** The row of a request that was not run. */
export function unrunRow(customId: string, because: 'expired' | 'canceled'): BatchRow {
  const reason = because === 'expired' ? 'timeout' : 'unknown'
  const was = because === 'expired' ? 'expired' : 'was canceled'
  return {
    customId,
    error: { reason, retryable: true, message: `the batch ${was} before this request was run` },
  }
}

/** The error for a line that is not a row. Another download may be intact. */
export function notARow(): ModelError {
  return cutOff('the results of the batch have a line that is not a row')
}
