import type { StandInCall } from './call.ts'
import { newId } from './ids.ts'
import { outcomeOf } from './outcome.ts'
import { errorOf, type ProviderError } from './provider-error.ts'
import { isScenario, toScenario } from './scenarios.ts'
import type { RowOutcome, State } from './state.ts'
import { isError, type Wire } from './wire.ts'

/** How a row of a batch ended. */
export type EndedRow =
  | { readonly type: 'succeeded'; readonly body: object; readonly requestId: string }
  | { readonly type: 'errored'; readonly error: ProviderError }
  | { readonly type: 'canceled' | 'expired' | 'missing' }

/** Processes a row and puts it on the bill if it succeeds. `params` are checked here, not before. */
export function endRow(
  state: State,
  batchId: string,
  wire: Wire,
  read: StandInCall | ProviderError,
  customId: string,
  canceled: boolean,
): EndedRow {
  const wanted: RowOutcome = state.batchRow?.(customId) ?? (canceled ? 'canceled' : 'succeeded')
  if (wanted === 'canceled' || wanted === 'expired' || wanted === 'missing') return { type: wanted }
  if (isError(read)) return { type: 'errored', error: read }
  if (wanted === 'errored')
    return { type: 'errored', error: { status: 400, message: 'max_tokens: too large' } }
  const call = { ...read, stream: false, customId }
  const own = state.answer?.(call)
  const scenario = wanted !== 'succeeded' ? toScenario(wanted) : isScenario(own) ? own : toScenario('ok')
  const error = errorOf(scenario, call.provider, call)
  if (error !== undefined) return { type: 'errored', error }
  const outcome = outcomeOf(call, scenario, isScenario(own) ? undefined : own)
  const requestId = newId('req_')
  const { provider, model } = call
  state.bill.push({
    provider,
    model,
    requestId,
    kind: 'batch',
    usage: outcome.usage,
    customId,
    batchId,
    sent: 'whole',
  })
  return { type: 'succeeded', body: wire.body(call, outcome, 'batch'), requestId }
}
