import type { ModelError } from '../../provider/model.ts'
import { BatchError } from '../batch-error.ts'
import { type CallOptions, callOptions, statusOf } from './submission.ts'

/** One call of an SDK. An abort takes precedence over the SDK's error; `missing` is the error for a 404. */
export type VendorCall = <T>(
  signal: AbortSignal,
  send: (options: CallOptions) => PromiseLike<T>,
  missing?: () => BatchError,
) => Promise<T>

/** Calls of one vendor's SDK. `sdkError` converts what it throws to a ModelError. */
export function vendorCall(sdkError: (error: unknown) => ModelError): VendorCall {
  return async (signal, send, missing) => {
    signal.throwIfAborted()
    try {
      return await send(callOptions(signal))
    } catch (error) {
      signal.throwIfAborted()
      if (missing !== undefined && statusOf(error) === 404) throw missing()
      throw sdkError(error)
    }
  }
}

/** The error if the vendor no longer has the results of a batch. */
export function resultsGone(batchId: string, why: string): BatchError {
  return new BatchError(
    'batch-results-gone',
    `The results of batch ${batchId} are no longer available: ${why}. Run this again with resubmitUncertain to send its requests again, which bills them again.`,
  )
}
