import { ModelError } from '../../model/model.ts'
import { BatchError } from '../batch-error.ts'

/** Does work at the vendor for a job. Throws BatchError `batch-call-failed` where a call of it failed for good. */
export async function withVendor<T>(job: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ModelError ? callFailed(job, error) : error
  }
}

/** True for a failure that may be gone when one looks again. */
export function mayPass(error: unknown): boolean {
  return error instanceof BatchError && error.cause instanceof ModelError && error.cause.retryable
}

function callFailed(job: string, error: ModelError): BatchError {
  return new BatchError(
    'batch-call-failed',
    `${error.message} (batch job ${job} is stored: collect it to go on)`,
    { cause: error },
  )
}
