import type { BatchRow } from '../batch/provider.ts'
import { answeredRow, failedRow, notARow, unrunRow } from '../batch/read-row.ts'
import { failureError, failureOf } from '../provider/failures.ts'
import { fieldsOf, stringOf } from '../provider/fields.ts'
import { ModelError } from '../provider/model.ts'
import { type MessageSoFar, replyOf } from './read-message.ts'

/** Parses one line of the results of a batch. Throws a retryable ModelError if it is not a row. */
export function batchRowOf(line: unknown, secrets: readonly string[]): BatchRow {
  const { custom_id, result } = fieldsOf(line)
  const { type, message, error } = fieldsOf(result)
  if (typeof custom_id !== 'string' || type === undefined) throw notARow()
  if (type === 'expired' || type === 'canceled') return unrunRow(custom_id, type)
  if (type === 'succeeded') {
    const { id } = fieldsOf(message)
    return answeredRow(custom_id, () => replyOf(message as MessageSoFar, stringOf(id)))
  }
  return failedRow(
    custom_id,
    type === 'errored'
      ? failureError(failureOf(fieldsOf(fieldsOf(error).error)), { vendor: 'Anthropic', secrets })
      : new ModelError('the provider gave a result of an unknown kind', { reason: 'unknown' }),
  )
}
