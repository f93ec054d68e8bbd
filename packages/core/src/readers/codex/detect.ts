import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

const wrappers = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'token_usage_record',
])

/** How likely a log is a rollout. */
export function detectCodex({ records }: LogHead): number {
  let score = 0
  for (const [index, value] of records.entries()) {
    const record = asObject(value)
    if (record === undefined) continue
    const type = asText(record.type)
    if (type !== undefined && wrappers.has(type) && asObject(record.payload) !== undefined) {
      if (type === 'session_meta') return 1
      score = Math.max(score, 'timestamp' in record ? 0.9 : 0.6)
    }
    if (record.record_type === 'state') score = Math.max(score, 0.9)
    if (index === 0 && isBareMeta(record)) score = Math.max(score, 0.9)
  }
  return score
}

/** First line of the oldest rollouts: `{id, timestamp, instructions, git}`. */
export function isBareMeta(record: JsonObject): boolean {
  return (
    record.type === undefined &&
    asText(record.id) !== undefined &&
    asText(record.timestamp) !== undefined &&
    'instructions' in record
  )
}
