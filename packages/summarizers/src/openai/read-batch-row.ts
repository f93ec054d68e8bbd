import type { BatchRow } from '../batch/provider.ts'
import { fieldsOf, known, stringOf } from '../provider/fields.ts'
import { ModelError } from '../provider/model.ts'
import { openaiError, reportedError } from './openai-error.ts'
import { replyOfResponse } from './read-response.ts'

/**
 * Parses one line of the output or error file of a batch. Throws a retryable ModelError if it is not a row.
 * https://platform.openai.com/docs/api-reference/batch/request-output
 */
export function batchRowOf(line: unknown): BatchRow {
  const { custom_id, response, error } = fieldsOf(line)
  const customId = stringOf(custom_id)
  if (customId === undefined)
    throw new ModelError('the results of the batch have a line that is not a row', {
      reason: 'cut-off',
      retryable: true,
    })
  const { status_code, request_id, body } = fieldsOf(response)
  if (status_code === 200) return answered(customId, body, stringOf(request_id))
  const { code, message } = fieldsOf(error)
  if (code === 'batch_expired' || code === 'batch_cancelled')
    return {
      customId,
      error: {
        reason: code === 'batch_expired' ? 'timeout' : 'unknown',
        retryable: true,
        message: `the batch was ${code === 'batch_expired' ? 'over' : 'canceled'} before this request was run`,
      },
    }
  // A row in the error file may have its error in the body of a response, or next to it.
  const said = fieldsOf(body).error ?? error ?? { message: stringOf(message) }
  const problem =
    typeof status_code === 'number'
      ? openaiError({ status: status_code, ...fieldsOf(said) })
      : reportedError(said, { usage: {} })
  return errorRow(customId, problem, stringOf(request_id))
}

function answered(customId: string, body: unknown, requestId: string | undefined): BatchRow {
  try {
    return { customId, reply: replyOfResponse(body, requestId) }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const row = errorRow(customId, error, error.requestId ?? requestId)
    // Usage that is present but empty means that it is unknown: the answer had begun.
    return { ...row, error: { ...row.error, usage: error.usage } }
  }
}

function errorRow(
  customId: string,
  problem: ModelError,
  requestId: string | undefined,
): Extract<BatchRow, { error: unknown }> {
  const { reason, retryable, message, usage } = problem
  return {
    customId,
    error: {
      reason,
      retryable,
      message,
      ...known({ usage: Object.keys(usage).length === 0 ? undefined : usage, requestId }),
    },
  }
}
