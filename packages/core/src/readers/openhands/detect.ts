import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

const sources = /^(?:agent|user|environment|hook)$/

/** Scores the items of a list, the lines, or the document itself. */
export function detectOpenHands({ records, document }: LogHead): number {
  const items =
    document === undefined ? records : Array.isArray(document) ? document.slice(0, 50) : [document]
  let score = 0
  for (const item of items.flatMap((value) => (Array.isArray(value) ? value.slice(0, 2) : [value]))) {
    const value = asObject(item)
    if (value === undefined) continue
    if (isV1Event(value) || isV0Event(value)) return 0.95
    if (document !== undefined && isConversationState(value)) score = 0.9
    if (isRow(value) && hasV0History(value)) score = 0.9
  }
  return score
}

/** `{id, timestamp, source, kind}`. */
export function isV1Event(event: JsonObject): boolean {
  const kind = asText(event.kind)
  return (
    kind !== undefined &&
    sources.test(asText(event.source) ?? '') &&
    asText(event.id) !== undefined &&
    /(?:Event|Condensation|CondensationRequest|UserRejectObservation)$/.test(kind)
  )
}

function isV0Event(event: JsonObject): boolean {
  const named = asText(event.action) !== undefined || asText(event.observation) !== undefined
  const filled = asObject(event.args) !== undefined || typeof event.content === 'string'
  return named && filled && Number.isInteger(event.id) && sources.test(asText(event.source) ?? '')
}

/** `base_state.json` of a conversation. */
export function isConversationState(value: JsonObject): boolean {
  return (
    asText(value.id) !== undefined &&
    asObject(value.agent) !== undefined &&
    asObject(value.workspace) !== undefined &&
    ('execution_status' in value || 'agent_status' in value || 'stats' in value)
  )
}

/** Whether a row holds events of V0. Rows of other benchmarks hold chat messages as their history. */
function hasV0History(row: JsonObject): boolean {
  const history = Array.isArray(row.history) ? row.history.slice(0, 20).flat() : []
  return history.some((item) => {
    const event = asObject(item)
    return asText(event?.action) !== undefined || asText(event?.observation) !== undefined
  })
}

/** Whether a value is a row of the `output.jsonl` of a benchmark or of the issue resolver: one session. */
export function isRow(value: unknown): value is JsonObject {
  const row = asObject(value)
  if (row === undefined || !Array.isArray(row.history)) return false
  return row.instance_id !== undefined || row.instruction !== undefined || row.issue !== undefined
}
