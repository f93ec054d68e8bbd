import type { ModelError } from '../../provider/model.ts'
import type { SubmissionResult, VendorBatch } from './batch-provider.ts'

/** Options for every call of an SDK. */
export interface CallOptions {
  readonly signal: AbortSignal
  readonly maxRetries: 0
}

/**
 * Disables the SDK's retries and gives each call its own signal: what an SDK attaches to it goes away with the call.
 */
export function callOptions(signal: AbortSignal): CallOptions {
  return { signal: AbortSignal.any([signal]), maxRetries: 0 }
}

/** Timeouts and conflicts: the vendor may have begun. */
const notCertain = [408, 409]

/** Makes a submission. `sdkError` converts what the SDK throws to a ModelError. */
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
