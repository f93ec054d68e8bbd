import type { ModelError } from '../../model/model.ts'
import type { SubmissionResult, VendorBatch } from './batch-provider.ts'

/** What every call of an SDK is given. */
export interface CallOptions {
  readonly signal: AbortSignal
  readonly maxRetries: 0
}

/** No retry by the SDK, and a signal of the call's own: what an SDK hangs on it goes with the call. */
export function callOptions(signal: AbortSignal): CallOptions {
  return { signal: AbortSignal.any([signal]), maxRetries: 0 }
}

/** Timeouts and conflicts: the vendor may have begun. */
const notCertain = [408, 409]

/** Makes a submission of a call. `sdkError` makes a ModelError of what the SDK throws. */
export async function submissionOf(
  signal: AbortSignal,
  create: () => Promise<VendorBatch>,
  sdkError: (error: unknown) => ModelError,
): Promise<SubmissionResult> {
  signal.throwIfAborted()
  try {
    return { outcome: 'created', batch: await create() }
  } catch (error) {
    signal.throwIfAborted()
    const status = statusOf(error) ?? 0
    const refused = status >= 400 && status < 500 && !notCertain.includes(status)
    return { outcome: refused ? 'refused' : 'unknown', error: sdkError(error) }
  }
}

/** HTTP status in an error of an SDK. */
export function statusOf(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
  return typeof status === 'number' ? status : undefined
}
