import type Anthropic from '@anthropic-ai/sdk'
import type { BatchRow } from '../batch/provider.ts'
import { ModelError } from '../provider/model.ts'
import { plainLine } from '../provider/plain-line.ts'
import { type AnthropicProblem, classify } from './anthropic-error.ts'
import { replyOf } from './read-message.ts'

type Row = Anthropic.Messages.MessageBatchIndividualResponse

/** Parses one line of the results of a batch. Throws a retryable ModelError if it is not a row. */
export function batchRowOf(line: unknown, secrets: readonly string[]): BatchRow {
  if (!isRow(line))
    throw new ModelError('the results of the batch have a line that is not a row', {
      reason: 'cut-off',
      retryable: true,
    })
  const { custom_id: customId, result } = line
  const failed = (reason: ModelError['reason'], retryable: boolean, message: string): BatchRow => ({
    customId,
    error: { reason, retryable, message },
  })
  switch (result.type) {
    case 'succeeded':
      return succeeded(customId, result.message)
    case 'errored': {
      const problem: AnthropicProblem = result.error?.error ?? {}
      const { reason, retryable } = classify(problem)
      const said = plainLine(`${problem.type ?? 'error'}: ${problem.message ?? ''}`, secrets)
      return failed(reason, retryable, said)
    }
    case 'expired':
      return failed('timeout', true, 'the batch expired before this request was run')
    case 'canceled':
      return failed('unknown', true, 'the batch was canceled before this request was run')
    default:
      return failed('unknown', false, 'the provider gave a result of an unknown kind')
  }
}

function succeeded(customId: string, message: Anthropic.Message): BatchRow {
  try {
    return { customId, reply: replyOf(message, message.id) }
  } catch (error) {
    if (!(error instanceof ModelError)) return noMessage(customId)
    const { reason, usage } = error
    return {
      customId,
      error: { reason, retryable: false, message: error.message, usage, requestId: message.id },
    }
  }
}

/** It was billed, so it is not sent again. */
function noMessage(customId: string): BatchRow {
  const message = 'the provider gave a message of an unknown form'
  return { customId, error: { reason: 'invalid-output', retryable: false, message, usage: {} } }
}

function isRow(line: unknown): line is Row {
  if (typeof line !== 'object' || line === null || !('custom_id' in line) || !('result' in line)) return false
  const { custom_id, result } = line
  return typeof custom_id === 'string' && typeof result === 'object' && result !== null && 'type' in result
}
