import * as json from '../../session/json.ts'

export function isBareMeta(record: json.Fields): boolean {
  const { id, timestamp, type } = record
  const isPlaced = json.text(id) !== undefined && json.text(timestamp) !== undefined
  return type === undefined && 'instructions' in record && isPlaced
}
