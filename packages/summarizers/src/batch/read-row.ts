import { known } from '../provider/fields.ts'
import { ModelError, type ModelReply } from '../provider/model.ts'
import type { BatchRow } from './provider.ts'

/** The row of a request that was answered: it was billed, so that one whose answer is no reply is not sent again. */
export function answeredRow(customId: string, read: () => ModelReply): BatchRow {
  try {
    return { customId, reply: read() }
  } catch (error) {
    const { reason, retryable, message, usage, requestId } =
      error instanceof ModelError
        ? error
        : new ModelError('the provider gave an answer of an unknown form', { reason: 'invalid-output' })
    // Usage that is present but empty means that it is unknown: the answer had begun.
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

/** The error for a line that is not a row: another download may be whole. */
export function notARow(): ModelError {
  const message = 'the results of the batch have a line that is not a row'
  return new ModelError(message, { reason: 'cut-off', retryable: true })
}
