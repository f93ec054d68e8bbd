import { asText, type JsonObject } from '../../session/json-values.ts'

export function isBareMeta(record: JsonObject): boolean {
  const { id, timestamp, type } = record
  return (
    type === undefined &&
    'instructions' in record &&
    asText(id) !== undefined &&
    asText(timestamp) !== undefined
  )
}
