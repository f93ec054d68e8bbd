import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { CodexState } from './state.ts'

const marker = 'You are the newly spawned agent.'
// A copy is written at once, within milliseconds; a longer pause is the new thread waiting for a model or the user.
const pauseMs = 500

/** Begins the copied history if a file names another session right after its own, or says where its own begins. */
export function beginCopy(state: CodexState): void {
  state.copy.active = true
}

/** Ends the copied history at the first turn after the marker, or otherwise at the first pause. */
export function trackCopy(state: CodexState, type: string, payload: JsonObject): void {
  const { copy } = state
  if (!copy.active || copy.until !== undefined) return
  const time = state.time === undefined ? Number.NaN : Date.parse(state.time)
  if (time - copy.last > pauseMs || (copy.marked && payload.type === 'task_started')) {
    endCopy(state)
    return
  }
  if (!Number.isNaN(time)) copy.last = time
  if (type === 'response_item' && outputText(payload).startsWith(marker)) copy.marked = true
}

/** Ends a copied history whose length the log gives, before the record with this number. */
export function endCopyAt(state: CodexState, ordinal: number | undefined): void {
  const { until } = state.copy
  if (until !== undefined && ordinal !== undefined && ordinal >= until) endCopy(state)
}

/** Ends the copied history and notes its length. */
export function endCopy(state: CodexState): void {
  const { copy, out } = state
  if (!copy.active) return
  copy.active = false
  state.working = false
  if (copy.events > 0)
    out.note('copied-history', `${copy.events} events repeat the history of the parent session`)
}

function outputText(payload: JsonObject): string {
  if (payload.type !== 'function_call_output') return ''
  return asText(payload.output) ?? asText(asObject(payload.output)?.content) ?? ''
}
