import type { ModelError } from '../../model/model.ts'
import { BatchError } from '../batch-error.ts'
import { type CallOptions, callOptions, statusOf } from './submission.ts'

/** One call of an SDK. The signal goes before what the SDK made of it; `missing` is the error for a 404. */
export type VendorCall = <T>(
  signal: AbortSignal,
  send: (options: CallOptions) => PromiseLike<T>,
  missing?: () => BatchError,
) => Promise<T>

/** Calls of the SDK of one vendor. `sdkError` makes a ModelError of what it throws. */
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

/** The vendor has no results of this batch any more. */
export function resultsGone(batchId: string, why: string): BatchError {
  return new BatchError(
    'batch-results-gone',
    `The results of batch ${batchId} cannot be had any more: ${why}. Run this again with resubmitUncertain to send its requests again, which bills them again.`,
  )
}
