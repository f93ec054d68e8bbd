import * as json from '../../session/json.ts'

export function isBareMeta(record: json.Fields): boolean {
  const { id, timestamp, type } = record
  return (
    type === undefined &&
    'instructions' in record &&
    json.text(id) !== undefined &&
    json.text(timestamp) !== undefined
  )
}
