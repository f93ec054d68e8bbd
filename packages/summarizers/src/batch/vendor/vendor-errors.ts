import { ModelError } from '../../provider/model.ts'
import { BatchError } from '../batch-error.ts'

/** Does work at the vendor for a job. Throws BatchError `batch-call-failed` if one of its calls failed for good. */
export async function withVendor<T>(job: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ModelError ? callFailed(job, error) : error
  }
}

/** Whether a later check may no longer meet this failure. */
export function mayPassLater(error: unknown): boolean {
  return error instanceof BatchError && error.cause instanceof ModelError && error.cause.retryable
}

function callFailed(job: string, error: ModelError): BatchError {
  return new BatchError(
    'batch-call-failed',
    `${error.message} (batch job ${job} is stored; collect it to continue)`,
    { cause: error },
  )
}
