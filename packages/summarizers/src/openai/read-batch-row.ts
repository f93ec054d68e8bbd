import type { BatchRow } from '../batch/provider.ts'
import { answeredRow, failedRow, notARow, unrunRow } from '../batch/read-row.ts'
import { failureError, failureOf } from '../provider/failures.ts'
import { fieldsOf, stringOf } from '../provider/fields.ts'
import { replyOfResponse } from './read-response.ts'

/**
 * Parses one line of the output or error file of a batch. Throws a retryable ModelError if it is not a row.
 * https://platform.openai.com/docs/api-reference/batch/request-output
 */
export function batchRowOf(line: unknown): BatchRow {
  const { custom_id, response, error } = fieldsOf(line)
  if (typeof custom_id !== 'string' || custom_id === '') throw notARow()
  const { status_code, request_id, body } = fieldsOf(response)
  const requestId = stringOf(request_id)
  if (status_code === 200) return answeredRow(custom_id, () => replyOfResponse(body, requestId))
  const { code } = fieldsOf(error)
  if (code === 'batch_expired') return unrunRow(custom_id, 'expired')
  if (code === 'batch_cancelled') return unrunRow(custom_id, 'canceled')
  // A row in the error file may have its error in the body of a response, or next to it.
  const said = fieldsOf(fieldsOf(body).error ?? error)
  const status = typeof status_code === 'number' ? status_code : undefined
  return failedRow(custom_id, failureError(failureOf(said, status), { vendor: 'OpenAI', requestId }))
}
